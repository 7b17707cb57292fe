import { randomUUID } from 'node:crypto';
import {
  type AuthBindingId,
  type JsonObject,
  LongshoreError,
  type MissedPolicy,
  type NewSchedule,
  type OverlapPolicy,
  type PrincipalId,
  type Schedule,
  type ScheduleId,
} from '@longshore/core';
import { canonicalJson } from '../calls/idempotency.ts';
import { checkCron, timesAfter } from './cron-times.ts';
import { instantOf, timeZoneOf, zonedWords } from './zoned-time.ts';

/** Arguments of `job_schedule` that fit its schema. */
export interface WantedSchedule {
  readonly tool: string;
  readonly arguments?: JsonObject;
  readonly cron?: string;
  readonly run_at?: string;
  readonly time_zone?: string;
  readonly name?: string;
  readonly missed?: MissedPolicy;
  readonly overlap?: OverlapPolicy;
  readonly ttl_ms?: number;
}

/**
 * @param now by the clock of the database
 * @throws {LongshoreError} INVALID_PARAMS, in words for a model
 */
export function newSchedule(
  wanted: WantedSchedule,
  owner: { readonly principalId: PrincipalId; readonly authBindingId: AuthBindingId },
  now: Date,
): NewSchedule {
  const { cron = null, run_at: runAtText, missed = 'run_once' } = wanted;
  const timeZone = timeZoneOf(wanted.time_zone ?? 'UTC');
  const when = { cron, runAtText: runAtText ?? null, timeZone };
  const overlap = wanted.overlap ?? (missed === 'run_all' ? 'start' : 'skip');
  if (missed === 'run_all' && overlap === 'skip') {
    throw mistake('missed run_all starts tasks beside one another: it needs overlap start');
  }
  return {
    id: randomUUID() as string as ScheduleId,
    ...owner,
    name: wanted.name ?? null,
    toolName: wanted.tool,
    arguments: wanted.arguments ?? {},
    ...timesOf(when, now),
    timeZone,
    missed,
    overlap,
    ttlMs: wanted.ttl_ms ?? null,
  };
}

function timesOf(
  when: { cron: string | null; runAtText: string | null; timeZone: string },
  now: Date,
): Pick<NewSchedule, 'cron' | 'runAt' | 'nextRunAt'> {
  const { cron, runAtText, timeZone } = when;
  if ((cron === null) === (runAtText === null)) {
    throw mistake('Say cron or run_at, one of them: cron for again and again, run_at for once');
  }
  if (cron !== null) {
    checkCron(cron, timeZone, now);
    const [nextRunAt] = timesAfter({ cron, timeZone }, now, 1);
    if (nextRunAt === undefined) throw mistake(`"${cron}" never comes true`);
    return { cron, runAt: null, nextRunAt };
  }
  const runAt = instantOf(runAtText ?? '', timeZone);
  if (runAt <= now) throw pastTime(runAt, timeZone, now);
  return { cron: null, runAt, nextRunAt: runAt };
}

export function pastTime(runAt: Date, timeZone: string, now: Date): LongshoreError {
  return mistake(
    `run_at ${zonedWords(runAt, timeZone)} is over: it is ${zonedWords(now, timeZone)} now`,
  );
}

/** Whether the schedule does what is wanted: then it was asked for twice. */
export function isSame(schedule: Schedule, wanted: NewSchedule): boolean {
  return schedule.state === 'active' && termsOf(schedule) === termsOf(wanted);
}

function termsOf({
  toolName,
  arguments: args,
  cron,
  runAt,
  timeZone,
  missed,
  overlap,
  ttlMs,
}: Omit<NewSchedule, 'authBindingId' | 'nextRunAt'>): string {
  const at = runAt?.toISOString() ?? null;
  return canonicalJson([toolName, args, cron, at, timeZone, missed, overlap, ttlMs]);
}

const mistake = (message: string): LongshoreError => new LongshoreError('INVALID_PARAMS', message);
