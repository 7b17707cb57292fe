import {
  type AttemptStore,
  type CatalogueStore,
  type Claim,
  type ClaimOutcome,
  type EventBus,
  type JobDisposition,
  type JobQueue,
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
import { Hand } from '../run/hand.ts';
import type { Seat, Seats } from '../run/seats.ts';
import { retryUntilAborted } from '../run/store-call.ts';
import { stopCancelled } from '../run/tell-task.ts';
import { Attempt } from './attempt.ts';
import { AttemptLogs } from './attempt-logs.ts';
import { AttemptReporter } from './attempt-reporter.ts';
import { AttemptWriter, type WriteResult } from './attempt-writer.ts';
import { MissingHandlers } from './missing-handlers.ts';
import type { RequestHandlers } from './request-handlers.ts';
import { OnDemand } from './on-demand.ts';
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
  readonly jobs: Pick<JobQueue, 'addLater'>;
  /** Tasks whose jobs are not in the queue wait for their turn again. Must not reject. */
  readonly unadmit: (taskIds: readonly TaskId[]) => Promise<void>;
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

/** How long tasks wait here for seats, in milliseconds, before other workers get them. */
const KEPT_MS = 250;

/** What becomes of a task that came with a job, or of one whose attempt is over. */
type Fate =
  /** It runs, or needs no job any more. */
  | { readonly kind: 'done' }
  /** Come back to it in `delayMs` milliseconds. */
  | { readonly kind: 'again'; readonly delayMs: number }
  /** Another worker may have what this one lacks. */
  | { readonly kind: 'pass_on' }
  /** Its limits leave no room: it waits for its turn. */
  | { readonly kind: 'no_slot' };

const DONE: Fate = { kind: 'done' };
const PASS_ON: Fate = { kind: 'pass_on' };
const again = (delayMs: number): Fate => ({ kind: 'again', delayMs });

/** What a worker has of one queue. */
export interface Lane {
  readonly queue: string;
  readonly seats: Seats;
}

/**
 * Runs attempts: claim, tool, outcome (attempt.ts says how). A job is only a hint that some tasks may want to run: it is
 * in hand until each of them runs, or has no seat to expect here. Attempts that run are kept by their leases; when this
 * process dies, the sweeper finds them once these are over.
 */
export class AttemptRunner {
  readonly #options: AttemptRunnerOptions;
  readonly #writer: AttemptWriter;
  readonly #missing: MissingHandlers;
  readonly #versions: ToolVersions;
  readonly #hands = new Set<Hand>();
  /** Attempts that run. */
  readonly #under = new Set<Promise<void>>();
  #isStopping = false;

  constructor(options: AttemptRunnerOptions) {
    this.#options = options;
    this.#writer = new AttemptWriter(options);
    this.#missing = new MissingHandlers(options.log);
    this.#versions = new ToolVersions(options);
  }

  /** The handler of a job. Never rejects. */
  async run(taskIds: readonly TaskId[], lane: Lane): Promise<JobDisposition> {
    const hand = new Hand(lane.seats, KEPT_MS);
    this.#hands.add(hand);
    if (this.#isStopping) hand.end();
    const taking: Promise<Fate>[] = [];
    for (const taskId of taskIds) {
      const seat = await hand.claim();
      if (seat === null) break;
      taking.push(this.#take(taskId, seat, lane));
    }
    const fates = await Promise.all(taking);
    hand.end();
    this.#hands.delete(hand);
    return this.#dispositionOf(taskIds, fates, lane);
  }

  /** Runs a task, past those whose jobs wait, on a seat that is its principal's. */
  async runAhead(taskId: TaskId, seat: Seat, lane: Lane): Promise<void> {
    await this.#put(taskId, await this.#take(taskId, seat, lane), lane);
  }

  /** Starts nothing any more: what waits for seats goes back. */
  stopTaking(): void {
    this.#isStopping = true;
    for (const hand of this.#hands) hand.end();
  }

  /** Resolves when all attempts have ended. */
  async ended(): Promise<void> {
    while (this.#under.size > 0) await Promise.all(this.#under);
  }

  #dispositionOf(
    taskIds: readonly TaskId[],
    fates: readonly Fate[],
    { queue, seats }: Lane,
  ): JobDisposition {
    const unseated = taskIds.slice(fates.length);
    const until = (over: () => void) => seats.whenFree(over);
    const [only] = fates;
    if (taskIds.length === 1 && only !== undefined) {
      if (only.kind !== 'no_slot') return only;
      return { kind: 'leave', left: () => this.#options.unadmit(taskIds) };
    }
    const of = (kind: Fate['kind']) => taskIds.filter((_id, index) => fates[index]?.kind === kind);
    const refused = of('no_slot');
    if (refused.length > 0) void this.#options.unadmit(refused);
    const tasks = [...of('pass_on'), ...unseated];
    const delays = fates.flatMap((fate) => (fate.kind === 'again' ? [fate.delayMs] : []));
    if (tasks.length === 0) {
      if (delays.length === 0) return { kind: 'done' };
      return { kind: 'again', delayMs: Math.min(...delays), tasks: of('again') };
    }
    fates.forEach((fate, index) => {
      const taskId = taskIds[index];
      if (fate.kind === 'again' && taskId !== undefined) void this.#put(taskId, fate, { queue });
    });
    return { kind: 'pass_on', tasks, ...(unseated.length > 0 ? { until } : {}) };
  }

  /** Gives a task that goes on a job. Never rejects: without one it waits for its turn, and the sweeper finds it. */
  async #put(taskId: TaskId, fate: Fate, { queue }: Pick<Lane, 'queue'>): Promise<void> {
    const { jobs, log, unadmit } = this.#options;
    if (fate.kind === 'done') return;
    if (fate.kind === 'no_slot') return unadmit([taskId]);
    try {
      await jobs.addLater(queue, taskId, fate.kind === 'again' ? fate.delayMs : 0);
    } catch (err) {
      log.warn({ taskId, err }, 'task could not be given a job');
      await unadmit([taskId]);
    }
  }

  /**
   * Claims a task, and starts it as soon as it has its seat.
   *
   * @returns what becomes of its job; the attempt that was started goes on. Never rejects
   */
  async #take(taskId: TaskId, seat: Seat, lane: Lane): Promise<Fate> {
    const { running, seatFreed } = this.#options;
    const askedAt = performance.now();
    const leave = (): void => {
      seat.giveUp();
      seatFreed();
    };
    if (!running.claiming(taskId)) {
      leave();
      return again(CLAIM_FAILED_DELAY_MS);
    }
    const claimed = await this.#claim(taskId);
    if (claimed.kind !== 'claimed') {
      running.claimFailed(taskId);
      leave();
      return unclaimed(claimed);
    }
    seat.principal = claimed.claim.principalId;
    const attempt = this.#createAttempt(claimed.claim, seat, askedAt);
    running.add(attempt);
    const over = (): void => {
      running.remove(attempt);
      leave();
    };
    const ready = await this.#ready(attempt, seat);
    if ('fate' in ready) {
      over();
      return ready.fate;
    }
    const run = this.#runReady(attempt, ready.handler, seat)
      .then((fate) => this.#put(taskId, fate, lane))
      .catch((err: unknown) => {
        this.#options.log.error({ taskId, err }, 'attempt broke');
      })
      .finally(() => {
        over();
        this.#under.delete(run);
      });
    this.#under.add(run);
    return DONE;
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

  /** Waits until an attempt may run. Those that may not are given back. */
  async #ready(
    attempt: Attempt,
    seat: Seat,
  ): Promise<{ readonly handler: RequestHandler } | { readonly fate: Fate }> {
    const { requestMethod, toolName } = attempt.claim;
    const handler = this.#options.handlers.find(attempt.claim);
    if (handler === null) {
      return { fate: await this.#releaseForeign(attempt, `${requestMethod} ${toolName}`) };
    }
    const own = this.#options.handlers.tool(attempt.claim)?.announced.fingerprint ?? null;
    if (!(await this.#versions.isOurs(attempt.claim, own))) {
      return { fate: await this.#releaseForeign(attempt, `another version of tool ${toolName}`) };
    }
    if (seat.isAway) await seat.ready;
    if (attempt.abortReason !== null) {
      return { fate: await this.#endStopped(attempt, attempt.abortReason) };
    }
    if (seat.isTaken) return { handler };
    return { fate: this.#after(await this.#writer.release(attempt), PASS_ON) };
  }

  async #runReady(attempt: Attempt, handler: RequestHandler, seat: Seat): Promise<Fate> {
    this.#tellDeprecated(attempt);
    this.#options.log.debug(this.#logFields(attempt), 'attempt started');
    const verdict = await this.#runHandler(handler, attempt);
    seat.write();
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
  async #releaseForeign(attempt: Attempt, what: string): Promise<Fate> {
    const next = this.#missing.met(attempt.claim.taskId, what);
    return this.#after(await this.#writer.release(attempt), next);
  }

  async #runHandler(handler: RequestHandler, attempt: Attempt): Promise<Verdict> {
    const { attempts, log, resourceUpdated } = this.#options;
    const logFields = this.#logFields(attempt);
    const inputs = new OnDemand(
      () => this.#options.inputs.open(attempt),
      (opened) => this.#options.inputs.close(opened),
    );
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
    attempt.hasStarted = () => batches.made?.isUsed === true;
    try {
      const verdict = await runAttempt(handler, attempt, {
        scope: {
          ctx: context,
          ask: (question, timeoutMs) => inputs.get().ask(question, timeoutMs),
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
      batches.close();
      inputs.close();
    }
  }

  async #finish(
    attempt: Attempt,
    handler: RequestHandler,
    outcome: Outcome,
  ): Promise<Fate> {
    attempt.reporter.finish();
    await attempt.logs.finish();
    const sized = this.#sized(attempt, handler, outcome);
    const written = await this.#writer.finish(attempt, sized);
    const message = written === 'written' ? 'task finished' : 'attempt finished';
    this.#log(attempt, { written, outcome: outcomeKind(sized.outcome) }, message);
    if (attempt.hasStarted()) void this.#cancelStarted(attempt.claim.taskId);
    return this.#after(written, DONE);
  }

  async #fail(attempt: Attempt, handler: RequestHandler, text: string): Promise<Fate> {
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
  async #endStopped(attempt: Attempt, why: AbortReason): Promise<Fate> {
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
  #after(result: WriteResult, written: Fate): Fate {
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
    this.#options.log[level]({ durationMs, ...this.#logFields(attempt), ...fields }, message);
  }
}

function unclaimed(claimed: Exclude<ClaimOutcome, { kind: 'claimed' }> | ClaimFailed): Fate {
  switch (claimed.kind) {
    case 'failed':
      return again(CLAIM_FAILED_DELAY_MS);
    case 'gone':
      return DONE;
    case 'not_yet':
      return again(claimed.retryInMs);
    case 'no_slot':
      return claimed;
  }
}
