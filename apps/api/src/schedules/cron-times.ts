import { LongshoreError, type Schedule } from '@longshore/core';
import { type CronExpression, CronExpressionParser } from 'cron-parser';

/** Words for expressions. The parser knows more, down to every second. */
const WORDS = new Set([
  ...['@hourly', '@daily', '@weekly', '@monthly', '@yearly', '@annually', '@weekdays', '@weekends'],
]);

/** Due times that are looked at one by one; of more, the rest is counted no further. */
const MAX_STEPS = 300;

/** Due times of which each may get a task of its own. */
const MAX_RUNS = 100;

/** What of a schedule says when it is due. */
export type Timing = Pick<Schedule, 'cron' | 'timeZone'>;

/** Times of a schedule that are over, from its next one on. */
export interface DueTimes {
  /** The latest hundred at most, oldest first. */
  readonly times: readonly Date[];
  /** How many there are; of more than 300 at least so many. */
  readonly count: number;
  /** The first that is not over; null: there is none. */
  readonly next: Date | null;
}

/**
 * Five fields, so once a minute at most: minute, hour, day of the month, month, day of the week. Where clocks go
 * forward, a time that is left out is due as much later as they do; where they go back, a time that comes twice
 * is due the first time, unless it is one of every hour.
 *
 * @throws {LongshoreError} INVALID_PARAMS: no expression, or one that never comes true
 */
export function checkCron(cron: string, timeZone: string, now: Date): void {
  const problem = problemOf(cron, timeZone, now);
  if (problem === null) return;
  throw new LongshoreError('INVALID_PARAMS', `"${cron.slice(0, 100)}" ${problem}`);
}

function problemOf(cron: string, timeZone: string, now: Date): string | null {
  if (cron.startsWith('@')) {
    return WORDS.has(cron) ? null : `is none of ${[...WORDS].join(', ')}`;
  }
  const fields = cron.split(' ').filter((field) => field !== '').length;
  if (fields === 6)
    return 'has six fields: there are no seconds, a schedule is due once a minute at most';
  if (fields !== 5) return 'is no cron expression: it takes five fields, such as "0 9 * * 1-5"';
  if (/(^|[\s,])H/.test(cron)) return 'has an H, which would be another time whenever it is read';
  try {
    firstAfter(cron, timeZone, now);
    return null;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return /explicit day of month|loop limit/.test(reason)
      ? 'never comes true: there is no such day'
      : `is no cron expression: ${reason}`;
  }
}

/** The next times after `from`, `count` at most. */
export function timesAfter({ cron, timeZone }: Timing, from: Date, count: number): Date[] {
  if (cron === null) return [];
  return expression(cron, timeZone, from)
    .take(count)
    .map((time) => time.toDate());
}

/**
 * @param due the first time that was not dealt with
 * @throws {LongshoreError} INVALID_PARAMS when an expression comes true no more
 */
export function dueTimes({ cron, timeZone }: Timing, due: Date, now: Date): DueTimes {
  if (cron === null) return { times: [due], count: 1, next: null };
  // From one time to the next: read from another moment of the hour that clocks repeat, a time comes again.
  const upcoming = expression(cron, timeZone, due);
  const times = [due];
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const next = upcoming.next().toDate();
    if (next > now) return { times: times.slice(-MAX_RUNS), count: times.length, next };
    times.push(next);
  }
  const latest = latestUntil(cron, timeZone, now).filter((time) => time >= due);
  return { times: latest, count: times.length, next: firstAfter(cron, timeZone, now) };
}

/** The times up to `now` for a schedule that was not looked at for long, oldest first. */
function latestUntil(cron: string, timeZone: string, now: Date): Date[] {
  const after = new Date(now.getTime() + 1_000);
  return expression(cron, timeZone, after)
    .take(-MAX_RUNS)
    .map((time) => time.toDate())
    .filter((time) => time <= now)
    .reverse();
}

function firstAfter(cron: string, timeZone: string, from: Date): Date {
  return expression(cron, timeZone, from).next().toDate();
}

function expression(cron: string, tz: string, currentDate: Date): CronExpression {
  return CronExpressionParser.parse(cron, { tz, currentDate });
}
