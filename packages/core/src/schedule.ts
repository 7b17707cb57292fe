import type { AuthBindingId, PrincipalId, ScheduleId, TaskId } from './brand.ts';
import type { JsonObject } from './json.ts';

/**
 * What becomes of due times at which nothing ran, because nothing was there to run it.
 * `skip`: nothing, when they are more than a minute ago; `run_once`: one task for all of them;
 * `run_all`: a task for each, the latest hundred at most.
 */
export type MissedPolicy = 'skip' | 'run_once' | 'run_all';

/** What happens at a due time while the task before is still open: no task, or another one beside it. */
export type OverlapPolicy = 'skip' | 'start';

/** `paused`: it waits for its owner to replace it; `ended`: it ran at its one time. */
export type ScheduleState = 'active' | 'paused' | 'ended';

interface ScheduleTerms {
  readonly id: ScheduleId;
  readonly principalId: PrincipalId;
  /** Its owner's own, unique among those of the principal that have not ended; null: it has none. */
  readonly name: string | null;
  readonly toolName: string;
  readonly arguments: JsonObject;
  /** Five fields, or a word such as `@daily`; null: it runs once. */
  readonly cron: string | null;
  /** The one time it runs at; null exactly when `cron` is not. */
  readonly runAt: Date | null;
  /** IANA name of the zone that `cron` is read in. */
  readonly timeZone: string;
  readonly missed: MissedPolicy;
  readonly overlap: OverlapPolicy;
  /** How long its tasks are kept, in milliseconds; null: as the configuration says. */
  readonly ttlMs: number | null;
}

export interface NewSchedule extends ScheduleTerms {
  /** The credential it is made with. */
  readonly authBindingId: AuthBindingId;
  readonly nextRunAt: Date;
}

/** A schedule as its owner sees it. */
export interface Schedule extends ScheduleTerms {
  readonly state: ScheduleState;
  /** The earliest due time that has neither run nor been skipped; set exactly while it is active. */
  readonly nextRunAt: Date | null;
  /** Due time of the latest task. */
  readonly lastRunAt: Date | null;
  readonly lastTaskId: TaskId | null;
  /** Tasks it has made. */
  readonly runs: number;
  /** Due times it made none for. */
  readonly skipped: number;
  /** Why it is paused, or what went wrong the last time. */
  readonly note: string | null;
  readonly createdAt: Date;
}

/** Where a page of a list ended. */
export interface ScheduleListPosition {
  readonly createdAt: Date;
  readonly id: ScheduleId;
}
