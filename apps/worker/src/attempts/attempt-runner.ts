import {
  type AttemptStore,
  type CatalogueStore,
  type Claim,
  type ClaimOutcome,
  type EventBus,
  type JobDisposition,
  type Logger,
  type Outcome,
  outcomeKind,
  retryDelayMs,
  type TaskId,
  taskTopic,
  type WorkerId,
} from '@longshore/core';
import type { BatchServices } from '../batch/attempt-batches.ts';
import { AttemptFiles, type AttemptFilesOptions } from '../files/attempt-files.ts';
import type { InputWaits } from '../inputs/input-waits.ts';
import type { RequestHandler } from '../requests/request-handler.ts';
import { type ResultLimits, type SizedOutcome, sizedOutcome } from '../results/sized-outcome.ts';
import { withFileLinks } from '../results/with-file-links.ts';
import type { AbortReason } from '../run/running-attempt.ts';
import type { Seat, Seats } from '../run/seats.ts';
import { retryUntilAborted } from '../run/store-call.ts';
import { stopCancelled } from '../run/tell-task.ts';
import { Attempt } from './attempt.ts';
import { AttemptLogs } from './attempt-logs.ts';
import { AttemptReporter } from './attempt-reporter.ts';
import { AttemptWriter, type WriteResult } from './attempt-writer.ts';
import { MissingHandlers } from './missing-handlers.ts';
import type { RequestHandlers } from './request-handlers.ts';
import { runAttempt, type Verdict } from './run-attempt.ts';
import type { RunningAttempts } from './running-attempts.ts';
import { createToolContext } from './tool-context.ts';
import { ToolVersions } from './tool-versions.ts';

export interface AttemptRunnerOptions {
  readonly workerId: WorkerId;
  readonly leaseMs: number;
  readonly handlers: RequestHandlers;
  readonly attempts: AttemptStore;
  readonly catalogue: Pick<CatalogueStore, 'versionToRun'>;
  readonly bus: EventBus;
  readonly running: RunningAttempts;
  readonly inputs: InputWaits;
  readonly batches: BatchServices;
  /** A task whose job is not in the queue waits for its turn again. Must not reject. */
  readonly unadmit: (taskId: TaskId) => Promise<void>;
  readonly files: Omit<AttemptFilesOptions, 'log'>;
  readonly results: ResultLimits;
  /** Tells whoever subscribed that a resource changed. */
  readonly resourceUpdated: (uri: unknown) => void;
  readonly log: Logger;
  /** Called when a status message should be written before the next regular heartbeat. */
  readonly statusChanged: () => void;
  /** Called when this worker can run one more task, and the fleet perhaps one more of a kind. */
  readonly seatFreed: () => void;
  /** How long a stopped tool has to return before its slot is given away, in milliseconds. */
  readonly abortGraceMs?: number;
}

const ABORT_GRACE_MS = 5_000;

/** Shorter, so that a stopping worker is gone in time. */
const DRAIN_GRACE_MS = 1_000;

/** Ten progress messages per second and task. */
const PROGRESS_INTERVAL_MS = 100;

/** When Postgres does not answer a claim, the job is looked at again after this. */
const CLAIM_FAILED_DELAY_MS = 1_000;

interface ClaimFailed {
  readonly kind: 'failed';
}

const DONE: JobDisposition = { kind: 'done' };
const again = (delayMs: number): JobDisposition => ({ kind: 'again', delayMs });

/**
 * Runs one attempt per job: claim, tool, outcome (attempt.ts says how). A job is only a hint that a task may want to
 * run, so `run` never fails: it says whether the job is done with, or when to look at it again.
 */
export class AttemptRunner {
  readonly #options: AttemptRunnerOptions;
  readonly #writer: AttemptWriter;
  readonly #missing: MissingHandlers;
  readonly #versions: ToolVersions;
  /** Attempts that go on without a job: they wait, or have waited, or were taken past those who had all seats. */
  readonly #parked = new Set<Promise<void>>();

  constructor(options: AttemptRunnerOptions) {
    this.#options = options;
    this.#writer = new AttemptWriter(options);
    this.#missing = new MissingHandlers(options.log);
    this.#versions = new ToolVersions(options);
  }

  /** The handler of a job of the queue that these seats are for. Never rejects. */
  async run(taskId: TaskId, seats: Seats): Promise<JobDisposition> {
    const seat = seats.take();
    // Attempts without a job have what this one could have had.
    if (seat === null) return { kind: 'pass_on', until: (over) => seats.whenFree(over) };
    const ended = this.#runOn(seat, taskId);
    const left = seat.left.then(() => null);
    return (await Promise.race([ended, left])) ?? this.#park(taskId, ended);
  }

  /** Runs a task on a seat that is its principal's. It has no job, or one that is not needed any more. */
  runWithoutJob(taskId: TaskId, seat: Seat): void {
    this.#park(taskId, this.#runOn(seat, taskId));
  }

  /** Resolves when all attempts without a job have ended. */
  async parkedEnd(): Promise<void> {
    while (this.#parked.size > 0) await Promise.all(this.#parked);
  }

  async #runOn(seat: Seat, taskId: TaskId): Promise<JobDisposition> {
    const { running, seatFreed } = this.#options;
    const askedAt = performance.now();
    try {
      if (!running.claiming(taskId)) return again(CLAIM_FAILED_DELAY_MS);
      const claimed = await this.#claim(taskId);
      if (claimed.kind !== 'claimed') {
        running.claimFailed(taskId);
        return this.#unclaimed(taskId, claimed);
      }
      seat.principal = claimed.claim.principalId;
      const attempt = this.#createAttempt(claimed.claim, seat, askedAt);
      running.add(attempt);
      return await this.#runClaimed(attempt).finally(() => running.remove(attempt));
    } finally {
      seat.giveUp();
      seatFreed();
    }
  }

  /**
   * The attempt goes on without a job, kept by its lease. When it ends without ending its task, the task gets a
   * job again; when this process dies, the sweeper finds it once the lease is over.
   */
  #park(taskId: TaskId, ended: Promise<JobDisposition>): JobDisposition {
    const settled = ended
      .then(async ({ kind }) => {
        if (kind !== 'done') await this.#options.unadmit(taskId);
      })
      .catch((err: unknown) => {
        this.#options.log.error({ taskId, err }, 'attempt broke while it had no job');
      })
      .finally(() => {
        this.#parked.delete(settled);
      });
    this.#parked.add(settled);
    this.#options.seatFreed();
    return DONE;
  }

  #unclaimed(
    taskId: TaskId,
    claimed: Exclude<ClaimOutcome, { kind: 'claimed' }> | ClaimFailed,
  ): JobDisposition {
    switch (claimed.kind) {
      case 'failed':
        return again(CLAIM_FAILED_DELAY_MS);
      case 'gone':
        return DONE;
      case 'not_yet':
        return again(claimed.retryInMs);
      case 'no_slot':
        return { kind: 'leave', left: () => this.#options.unadmit(taskId) };
    }
  }

  /** Without a time-out of our own: the store has one, and a claim that comes late is run like any other. */
  async #claim(taskId: TaskId): Promise<ClaimOutcome | ClaimFailed> {
    const { attempts, workerId, leaseMs, log } = this.#options;
    try {
      return await attempts.claim(taskId, workerId, leaseMs);
    } catch (err) {
      log.warn({ taskId, err }, 'claim failed');
      await this.#releaseUnconfirmed(taskId);
      return { kind: 'failed' };
    }
  }

  /** A claim that failed may have been committed: then the task is free at once, not when the lease ends. */
  async #releaseUnconfirmed(taskId: TaskId): Promise<void> {
    const { attempts, workerId, leaseMs, running, log } = this.#options;
    const runs = running.find(taskId)?.claim.attempt ?? null;
    try {
      await retryUntilAborted('giving a claim back', AbortSignal.timeout(leaseMs), () =>
        attempts.releaseUnconfirmed(taskId, workerId, runs),
      );
    } catch (err) {
      log.warn(
        { taskId, err },
        'a claim that may have been committed is left to the end of its lease',
      );
    }
  }

  #createAttempt(claim: Claim, seat: Seat, startedAt: number): Attempt {
    const { bus, statusChanged } = this.#options;
    const { taskId, sessionId, progressToken: token } = claim;
    const topic = taskTopic({ id: taskId, sessionId });
    const reporter = new AttemptReporter({
      floor: claim.progress,
      progressIntervalMs: PROGRESS_INTERVAL_MS,
      publish: (progress) => bus.publish(topic, { kind: 'progress', taskId, token, ...progress }),
      statusChanged,
    });
    const logs = new AttemptLogs(claim, this.#options);
    return new Attempt(claim, { reporter, logs, seat, startedAt });
  }

  async #runClaimed(attempt: Attempt): Promise<JobDisposition> {
    const { requestMethod, toolName } = attempt.claim;
    const handler = this.#options.handlers.find(attempt.claim);
    if (handler === null) return this.#releaseForeign(attempt, `${requestMethod} ${toolName}`);
    const own = this.#options.handlers.tool(attempt.claim)?.announced.fingerprint ?? null;
    if (!(await this.#versions.isOurs(attempt.claim, own))) {
      return this.#releaseForeign(attempt, `another version of tool ${toolName}`);
    }
    if (attempt.abortReason !== null) return this.#endStopped(attempt, attempt.abortReason);
    this.#tellDeprecated(attempt);
    this.#options.log.debug(this.#logFields(attempt), 'attempt started');
    const verdict = await this.#runHandler(handler, attempt);
    switch (verdict.kind) {
      case 'stopped':
        return this.#endStopped(attempt, verdict.why);
      case 'finish':
        return this.#finish(attempt, handler, verdict.outcome);
      case 'failed':
        return this.#fail(attempt, handler, verdict.text);
    }
  }

  /** Once per use, not per attempt: operators see who still calls it. */
  #tellDeprecated({ claim }: Attempt): void {
    const { handlers, log } = this.#options;
    const { attempt, requestMethod, taskId, toolName: tool, principalId: principal } = claim;
    const instead = handlers.tool(claim)?.announced.deprecated ?? null;
    if (instead === null || attempt > 1 || requestMethod !== 'tools/call') return;
    log.warn({ taskId, tool, principal, instead }, 'a deprecated tool is called');
  }

  /** Another worker may have what this one lacks. */
  async #releaseForeign(attempt: Attempt, what: string): Promise<JobDisposition> {
    const next = this.#missing.met(attempt.claim.taskId, what);
    return this.#after(await this.#writer.release(attempt), next);
  }

  async #runHandler(handler: RequestHandler, attempt: Attempt): Promise<Verdict> {
    const { attempts, log, resourceUpdated } = this.#options;
    const logFields = this.#logFields(attempt);
    const inputs = this.#options.inputs.open(attempt);
    const files = new AttemptFiles(attempt, { ...this.#options.files, log });
    const { context, batches } = createToolContext(attempt, {
      attempts,
      log,
      logFields,
      inputs,
      files,
      resourceUpdated,
      batchServices: this.#options.batches,
      tool: this.#options.handlers.tool(attempt.claim),
    });
    attempt.hasStarted = () => batches.isUsed;
    try {
      const verdict = await runAttempt(handler, attempt, {
        scope: {
          ctx: context,
          ask: (question, timeoutMs) => inputs.ask(question, timeoutMs),
          openFile: (facts) => files.open(facts),
          timeLimit: attempt.timeLimit,
        },
        log,
        logFields,
        graceMs: () => (attempt.abortReason === 'drain' ? DRAIN_GRACE_MS : this.#abortGraceMs()),
      });
      await files.close();
      const { requestMethod, taskId } = attempt.claim;
      if (requestMethod !== 'tools/call' || verdict.kind !== 'finish') return verdict;
      return { ...verdict, outcome: withFileLinks(verdict.outcome, taskId, await files.saved()) };
    } finally {
      void batches.close();
      this.#options.inputs.close(inputs);
    }
  }

  async #finish(
    attempt: Attempt,
    handler: RequestHandler,
    outcome: Outcome,
  ): Promise<JobDisposition> {
    attempt.reporter.finish();
    await attempt.logs.finish();
    const sized = this.#sized(attempt, handler, outcome);
    const written = await this.#writer.finish(attempt, sized);
    const message = written === 'written' ? 'task finished' : 'attempt finished';
    this.#log(attempt, { written, outcome: outcomeKind(sized.outcome) }, message);
    if (attempt.hasStarted()) void this.#cancelStarted(attempt.claim.taskId);
    return this.#after(written, DONE);
  }

  async #fail(attempt: Attempt, handler: RequestHandler, text: string): Promise<JobDisposition> {
    const failures = attempt.claim.failures + 1;
    if (failures >= attempt.claim.maxAttempts) {
      return this.#finish(attempt, handler, handler.failedOutcome(text));
    }
    attempt.reporter.finish();
    await attempt.logs.finish();
    const retryInMs = retryDelayMs(handler.backoff, failures, Math.random());
    const written = await this.#writer.retry(attempt, text, retryInMs);
    this.#log(attempt, { written, failures, retryInMs }, 'attempt failed, another will follow');
    return this.#after(written, again(retryInMs));
  }

  /**
   * What a task has started ends with it. The database knows whether it has ended: an outcome that was refused may
   * have been written by an earlier try, or the task is another attempt's, which goes on with what this one has started.
   * Should this fail, the sweeper does it.
   */
  async #cancelStarted(taskId: TaskId): Promise<void> {
    const { batches, log } = this.#options;
    try {
      stopCancelled(batches.bus, await batches.store.cancelDescendants(taskId));
    } catch (err) {
      log.warn({ taskId, err }, 'what a task had started is left to the sweeper');
    }
  }

  /** Writes nothing, but for a drain, where the next worker need not wait for the lease to end. */
  async #endStopped(attempt: Attempt, why: AbortReason): Promise<JobDisposition> {
    attempt.reporter.discard();
    if (why !== 'drain') {
      attempt.logs.discard();
      this.#log(attempt, { why }, 'attempt stopped');
      return why === 'cancelled' ? DONE : again(this.#options.leaseMs);
    }
    await attempt.logs.finish();
    const written = await this.#writer.release(attempt);
    this.#log(attempt, { why, written }, 'attempt stopped');
    return this.#after(written, again(0));
  }

  #sized({ claim }: Attempt, handler: RequestHandler, outcome: Outcome): SizedOutcome {
    if (claim.requestMethod !== 'tools/call') return { outcome };
    const { taskId } = claim;
    const { promisesStructure } = handler;
    return sizedOutcome(outcome, { ...this.#options.results, taskId, promisesStructure });
  }

  /** A refused write means that the task has ended or is somebody else's, and so is its job. */
  #after(result: WriteResult, written: JobDisposition): JobDisposition {
    switch (result) {
      case 'written':
        return written;
      case 'refused':
        return DONE;
      case 'gave_up':
        return again(this.#options.leaseMs);
    }
  }

  #abortGraceMs(): number {
    return this.#options.abortGraceMs ?? ABORT_GRACE_MS;
  }

  #logFields({ claim }: Attempt): object {
    return { taskId: claim.taskId, attempt: claim.attempt, tool: claim.toolName };
  }

  /** What a client has not asked for by itself, such as the chunks of its batch, is a detail. */
  #log(attempt: Attempt, fields: object, message: string): void {
    const { parentTaskId, requestMethod } = attempt.claim;
    const level = parentTaskId === null && requestMethod === 'tools/call' ? 'info' : 'debug';
    const durationMs = Math.round(performance.now() - attempt.startedAt);
    this.#options.log[level]({ ...this.#logFields(attempt), ...fields, durationMs }, message);
  }
}
