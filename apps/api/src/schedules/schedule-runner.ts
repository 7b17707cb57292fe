import {
  type Access,
  type AnnouncedTool,
  type CredentialState,
  type Logger,
  LongshoreError,
  type PrincipalLimits,
  type ScheduleId,
  type ScheduleStore,
  type WakeAnswer,
  type WakingSchedule,
} from '@longshore/core';
import { type CallRow, callRow } from '../calls/call-row.ts';
import { JOB_ONLY_ABILITIES } from '../calls/job-abilities.ts';
import type { TaskSubmitter } from '../calls/task-submitter.ts';
import type { ArgumentValidator } from '../catalogue/argument-validator.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { LimitsOf } from '../edge/limits/limits-of.ts';
import { dueTimes } from './cron-times.ts';

/** How late a run may be that `missed: skip` does not skip. */
const LATE_MS = 60_000;

/** How long a run that can not be made now waits before it is tried again. */
const POSTPONE_MS = 15_000;

/** A wake that comes earlier than this is not waited for: another one will come. */
const EARLY_MS = 60_000;

const PAUSED: Readonly<Record<Exclude<CredentialState, 'valid'>, string>> = {
  revoked: 'The API key it was made with was revoked.',
  expired: 'The API key it was made with has expired.',
  gone: 'The session it was made in has ended.',
};

export interface ScheduleRunnerOptions {
  readonly store: Pick<ScheduleStore, 'waking' | 'fire' | 'postpone' | 'pause'>;
  readonly catalogue: { readonly tools: Pick<Catalogue['tools'], 'find'> };
  readonly validator: Pick<ArgumentValidator, 'problem'>;
  readonly submitter: Pick<TaskSubmitter, 'submitBy'>;
  readonly limitsOf: LimitsOf;
  /** Milliseconds. */
  readonly defaultTtlMs: number;
  readonly log: Logger;
}

/**
 * Makes the tasks of schedules that are due:
 *
 *   due --credential no longer valid--> paused
 *   due --tool away, no room for more tasks--> due, looked at again in 15 s
 *   due --> a task for each time that `missed` and `overlap` let run, the row behind all of them
 *
 * The row decides: it moves and the task is accepted in one transaction, only from the time at which the schedule was
 * seen. So any number of processes may run the same one at once.
 */
export class ScheduleRunner {
  readonly #options: ScheduleRunnerOptions;

  constructor(options: ScheduleRunnerOptions) {
    this.#options = options;
  }

  /** What the wake of a schedule does. @throws {LongshoreError} DATABASE_UNAVAILABLE */
  async wake(id: ScheduleId): Promise<WakeAnswer> {
    const schedule = await this.#options.store.waking(id);
    if (schedule === null) return { kind: 'gone' };
    const { wakesInMs } = schedule;
    if (wakesInMs > EARLY_MS) return { kind: 'done' };
    if (wakesInMs > 0) return { kind: 'early', againInMs: Math.ceil(wakesInMs) };
    await this.run(schedule);
    return { kind: 'done' };
  }

  /**
   * @param schedule it is due
   * @throws {LongshoreError} retryable: it is still due
   */
  async run(schedule: WakingSchedule): Promise<void> {
    const { store, log } = this.#options;
    const { id: scheduleId, credential } = schedule;
    if (credential !== 'valid') {
      const note = `${PAUSED[credential]} Remove it, and schedule it again with a valid credential.`;
      if (await store.pause(schedule, note))
        log.info({ scheduleId, credential }, 'schedule paused');
      return;
    }
    try {
      await this.#runAll(schedule);
    } catch (error) {
      const isOurs = error instanceof LongshoreError;
      if (isOurs && error.retryable && error.code !== 'TOO_MANY_TASKS') throw error;
      const isDefect = !isOurs || error.code === 'INTERNAL';
      const reason = isDefect ? 'it could not be run, for a defect of the server' : error.message;
      log.warn({ scheduleId, err: error }, 'schedule postponed');
      await this.#postpone(scheduleId, `Waits: ${reason}.`);
    }
  }

  /** From where it is by now: some of its times may have run. */
  async #postpone(id: ScheduleId, note: string): Promise<void> {
    const { store } = this.#options;
    const now = await store.waking(id);
    if (now !== null && now.wakesInMs <= 0) await store.postpone(now, POSTPONE_MS, note);
  }

  async #runAll(schedule: WakingSchedule): Promise<void> {
    const { catalogue, store, submitter, limitsOf, log } = this.#options;
    const tool = catalogue.tools.find(schedule.toolName);
    if (tool === null) throw unknownTool(schedule.toolName);
    const { runs, skipped, next, note } = planRuns(schedule);
    const { id: scheduleId, principalId, nextRunAt } = schedule;
    if (runs.length === 0) {
      await store.fire(schedule, { run: null, skipped, nextRunAt: next, note });
      log.debug({ scheduleId, skipped }, 'due times skipped');
      return;
    }
    const limits = limitsOf(accessOf(schedule));
    let place = { id: scheduleId, principalId, nextRunAt };
    for (const [position, dueAt] of runs.entries()) {
      const following = runs[position + 1] ?? next;
      const task = this.#taskOf(schedule, tool, limits, dueAt);
      const problem = task.outcome === null ? null : 'Its arguments do not fit the tool any more.';
      const isOurs = await submitter.submitBy(task, limits, (accepted) =>
        store.fire(place, {
          run: { dueAt, task: accepted },
          skipped: position === 0 ? skipped : 0,
          nextRunAt: following,
          note: problem,
        }),
      );
      if (!isOurs || following === null) return;
      log.info({ scheduleId, taskId: task.id, dueAt }, 'schedule ran');
      place = { ...place, nextRunAt: following };
    }
  }

  /** What a client would have got for calling the tool as a task. */
  #taskOf(
    { id, principalId, authBindingId, arguments: args, ttlMs }: WakingSchedule,
    tool: AnnouncedTool,
    limits: PrincipalLimits,
    dueAt: Date,
  ): CallRow {
    const { validator, defaultTtlMs } = this.#options;
    const caller = {
      principalId,
      authBindingId,
      sessionId: null,
      era: 'modern',
      requestId: `schedule ${id} ${dueAt.toISOString()}`,
      abilities: JOB_ONLY_ABILITIES,
      logLevel: null,
      progressToken: null,
    } as const;
    return callRow(caller, tool, {
      arguments: args,
      listed: true,
      ttlMs: ttlMs ?? defaultTtlMs,
      maxTtlMs: limits.maxTtlMs,
      problem: validator.problem(tool, args),
      idempotencyKey: null,
    });
  }
}

/** The limits of a principal are those of the credential the schedule was made with. */
function accessOf({ principalId, authBindingId, limits }: WakingSchedule): Access {
  const identity = { principalId, authBindingId };
  return { identity, sessionIdentity: identity, scopes: null, limits };
}

function unknownTool(name: string): LongshoreError {
  return new LongshoreError('UNKNOWN_TOOL', `no worker offers the tool ${name}`);
}

/** What is to be done about the due times of a schedule. */
interface RunPlan {
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
function planRuns(schedule: WakingSchedule): RunPlan {
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
