import type { JsonObject, Schedule } from '@longshore/core';
import { timesAfter } from './cron-times.ts';
import { zonedTime, zonedWords } from './zoned-time.ts';

/** How many of the times to come are told. */
const TOLD_TIMES = 3;

/** A schedule in a form that programs read. Times have the offset of its zone. */
export function scheduleFacts(schedule: Schedule): JsonObject {
  const { timeZone, runAt, lastRunAt, name, cron, ttlMs, note } = schedule;
  const shown = (time: Date): string => zonedTime(time, timeZone);
  return {
    schedule_id: schedule.id,
    ...(name === null ? {} : { name }),
    tool: schedule.toolName,
    state: schedule.state,
    ...(cron === null ? {} : { cron }),
    ...(runAt === null ? {} : { run_at: shown(runAt) }),
    time_zone: timeZone,
    missed: schedule.missed,
    overlap: schedule.overlap,
    ...(ttlMs === null ? {} : { ttl_ms: ttlMs }),
    next_runs: nextRuns(schedule).map(shown),
    ...(lastRunAt === null ? {} : { last_run_at: shown(lastRunAt) }),
    ...(schedule.lastTaskId === null ? {} : { last_task_id: schedule.lastTaskId }),
    runs: schedule.runs,
    skipped: schedule.skipped,
    ...(note === null ? {} : { note }),
    created_at: schedule.createdAt.toISOString(),
  };
}

/** "schedule … (nightly) runs text_count at 0 9 * * 1-5 in Europe/Berlin". */
export function scheduleLine(schedule: Schedule): string {
  const { id, name, toolName, cron, runAt, timeZone } = schedule;
  const when =
    runAt === null ? `at ${cron} in ${timeZone}` : `once, at ${zonedWords(runAt, timeZone)}`;
  return `schedule ${id}${name === null ? '' : ` (${name})`} runs ${toolName} ${when}`;
}

/** What is to come of it, what has come of it, and what is wrong. */
export function scheduleStory(schedule: Schedule): string {
  const { state, timeZone, lastRunAt, lastTaskId, runs, skipped, note } = schedule;
  const words = (time: Date): string => zonedWords(time, timeZone);
  const next = nextRuns(schedule).map(words);
  return [
    state === 'active' ? `next ${next.join(', ')} (${timeZone})` : state,
    ...(lastRunAt === null ? [] : [`last ${words(lastRunAt)} as job ${lastTaskId}`]),
    `${runs} ${runs === 1 ? 'run' : 'runs'}${skipped === 0 ? '' : `, ${skipped} skipped`}`,
    ...(note === null ? [] : [note]),
  ].join('; ');
}

function nextRuns(schedule: Schedule): Date[] {
  const { nextRunAt } = schedule;
  if (nextRunAt === null) return [];
  return [nextRunAt, ...timesAfter(schedule, nextRunAt, TOLD_TIMES - 1)];
}
