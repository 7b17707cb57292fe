import type { ScheduleId } from './brand.ts';
import type { Schedule } from './schedule.ts';
import type { Service } from './service.ts';

/** What of a schedule says when to wake. */
export type ScheduleWake = Pick<Schedule, 'id' | 'cron' | 'runAt' | 'timeZone'>;

/** What the schedule says when it is woken: it needs no wake any more, or another one soon. */
export type WakeAnswer =
  | { readonly kind: 'done' }
  /** It is not active: nothing is to wake it. */
  | { readonly kind: 'gone' }
  /** It is not due yet, by the clock that counts. */
  | { readonly kind: 'early'; readonly againInMs: number };

/**
 * Wakes a process when a schedule is due. A hint and nothing more: a wake may be lost with the server that keeps
 * it, come twice, and come by a clock that differs from the database's.
 */
export interface ScheduleWakes extends Service {
  /** Starts calling `onWake` for what is due, here or in another process. */
  start(): Promise<void>;
  /**
   * Wakes at the times of this schedule from now on; again is as good as once.
   * @throws {LongshoreError} QUEUE_UNAVAILABLE
   */
  arm(schedule: ScheduleWake): Promise<void>;
  /** Best effort: a wake for a schedule that is gone does nothing. */
  disarm(id: ScheduleId): Promise<void>;
  /**
   * Which of these nothing would wake.
   * @throws {LongshoreError} QUEUE_UNAVAILABLE
   */
  lost(schedules: readonly ScheduleWake[]): Promise<ReadonlySet<ScheduleId>>;
}
