import type { WakingSchedule } from '@longshore/core';
import { dueTimes } from './cron-times.ts';

/** How late a run may be that `missed: skip` does not skip. */
const LATE_MS = 60_000;

/** What is to be done about the due times of a schedule. */
export interface RunPlan {
  /** Due times that get a task, oldest first. */
  readonly runs: readonly Date[];
  /** Due times that get none. */
  readonly skipped: number;
  /** The first time after all of them; null: there is none. */
  readonly next: Date | null;
  /** Why times were skipped that were not just missed. */
  readonly note: string | null;
}

/** @param schedule it is due */
export function planRuns(schedule: WakingSchedule): RunPlan {
  const { nextRunAt, now, missed, overlap, isLastOpen } = schedule;
  const { times, count, next } = dueTimes(schedule, nextRunAt, now);
  if (overlap === 'skip' && isLastOpen) {
    const note = `The task before, ${schedule.lastTaskId}, had not ended at the last due time.`;
    return { runs: [], skipped: count, next, note };
  }
  const latest = times.slice(-1).filter((time) => now.getTime() - time.getTime() <= LATE_MS);
  const runs = missed === 'run_all' ? times : missed === 'run_once' ? times.slice(-1) : latest;
  return { runs, skipped: count - runs.length, next, note: null };
}
