import type { AuthBindingId, PrincipalId, ScheduleId } from './brand.ts';
import type { PrincipalLimits } from './limits.ts';
import type { NewSchedule, Schedule, ScheduleListPosition } from './schedule.ts';
import type { NewTask } from './task.ts';

export type AddedSchedule =
  | { readonly kind: 'added' }
  /** Another one of the principal has the name. */
  | { readonly kind: 'name_taken'; readonly schedule: Schedule }
  | { readonly kind: 'too_many' }
  /** Its first time is not in the future, by the clock of the database. */
  | { readonly kind: 'past' };

/**
 * Whether the credential that a schedule was made with is still good. `gone`: the anonymous session that
 * owned it has ended.
 */
export type CredentialState = 'valid' | 'revoked' | 'expired' | 'gone';

/** An active schedule with what a run of it needs to know. */
export interface WakingSchedule extends Schedule {
  readonly nextRunAt: Date;
  readonly authBindingId: AuthBindingId;
  readonly credential: CredentialState;
  /** Where the credential differs from the limits of the configuration. */
  readonly limits: Partial<PrincipalLimits>;
  /** The task of the latest run has not ended. */
  readonly isLastOpen: boolean;
  /** When it is to be looked at, in milliseconds from now; not above 0 when that is over. */
  readonly wakesInMs: number;
  /** The clock of the database at the look. */
  readonly now: Date;
}

/** The state a schedule was seen in: what is written counts only while it is still in it. */
export interface SchedulePlace {
  readonly id: ScheduleId;
  readonly principalId: PrincipalId;
  readonly nextRunAt: Date;
}

/** What becomes of due times of a schedule. */
export interface ScheduleFiring {
  /** Null: they are all skipped. */
  readonly run: { readonly dueAt: Date; readonly task: NewTask } | null;
  /** Due times without a task. */
  readonly skipped: number;
  /** The first time after them, which may be due as well; null: there is none. */
  readonly nextRunAt: Date | null;
  readonly note: string | null;
}

/**
 * Schedules of principals. Each method that acts for a client takes the owner; unknown and foreign schedules
 * are one case.
 */
export interface ScheduleStore {
  /** The clock of the database. */
  now(): Promise<Date>;
  /** @param limit of the principal's schedules that have not ended; 0: none */
  add(schedule: NewSchedule, limit: number): Promise<AddedSchedule>;
  /** Newest first, ended ones included. */
  list(
    owner: PrincipalId,
    limit: number,
    after: ScheduleListPosition | null,
  ): Promise<readonly Schedule[]>;
  /**
   * @param key id, or name of one that has not ended
   * @returns null when there is none
   */
  remove(owner: PrincipalId, key: string): Promise<Schedule | null>;

  /** The schedule whether or not it is due; null when it is not active. */
  waking(id: ScheduleId): Promise<WakingSchedule | null>;
  /** Schedules to be looked at within `withinMs`, the earliest first. */
  wakingWithin(withinMs: number, limit: number): Promise<readonly WakingSchedule[]>;
  /**
   * Advances a schedule and accepts its task, both or neither.
   * @returns false when somebody else has advanced it, or it is gone
   */
  fire(place: SchedulePlace, firing: ScheduleFiring): Promise<boolean>;
  /** Leaves a due time for later, in `delayMs`. @returns as `fire` */
  postpone(place: SchedulePlace, delayMs: number, note: string): Promise<boolean>;
  /** @returns as `fire` */
  pause(place: SchedulePlace, note: string): Promise<boolean>;
  /** Deletes what has ended `ageMs` ago, `limit` at most. @returns how many */
  deleteEnded(ageMs: number, limit: number): Promise<number>;
}
