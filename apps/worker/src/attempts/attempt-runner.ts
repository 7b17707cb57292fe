import {
  type AttemptStore,
  type CatalogueStore,
  type Claim,
  type EventBus,
  type Logger,
  type Outcome,
  outcomeKind,
  retryDelayMs,
  type TaskId,
  taskTopic,
  type WorkerId,
} from '@longshore/core';
import type { WorkerMetrics } from '@longshore/metrics';
import { fromStored, traced, tracedPast } from '@longshore/tracing';
import type { BatchServices } from '../batch/attempt-batches.ts';
import { AttemptFiles, type AttemptFilesOptions } from '../files/attempt-files.ts';
import type { InputWaits } from '../inputs/input-waits.ts';
import type { RequestHandler } from '../requests/request-handler.ts';
import { type ResultLimits, type SizedOutcome, sizedOutcome } from '../results/sized-outcome.ts';
import { withFileLinks } from '../results/with-file-links.ts';
import type { AbortReason } from '../run/running-attempt.ts';
import type { Seat } from '../run/seats.ts';
import { stopCancelled } from '../run/tell-task.ts';
import { Attempt } from './attempt.ts';
import { AttemptLogs } from './attempt-logs.ts';
import { AttemptReporter } from './attempt-reporter.ts';
import { AttemptWriter, type WriteResult } from './attempt-writer.ts';
import { again, DONE, type Fate, PASS_ON } from './fate.ts';
import { MissingHandlers } from './missing-handlers.ts';
import { OnDemand } from './on-demand.ts';
import type { RequestHandlers } from './request-handlers.ts';
import { runAttempt, type Verdict } from './run-attempt.ts';
import { createToolContext } from './tool-context.ts';
import { ToolVersions } from './tool-versions.ts';

export interface AttemptRunnerOptions {
  readonly workerId: WorkerId;
  readonly leaseMs: number;
  readonly handlers: RequestHandlers;
  readonly attempts: AttemptStore;
  readonly catalogue: Pick<CatalogueStore, 'versionToRun'>;
  readonly bus: EventBus;
  readonly inputs: InputWaits;
  readonly batches: BatchServices;
  readonly files: Omit<AttemptFilesOptions, 'log'>;
  readonly results: ResultLimits;
  /** Tells whoever subscribed that a resource changed. */
  readonly resourceUpdated: (uri: unknown) => void;
  readonly metrics: WorkerMetrics;
  readonly log: Logger;
  /** Called when a status message should be written before the next regular heartbeat. */
  readonly statusChanged: () => void;
  /** How long a stopped tool has to return before its slot is given away, in milliseconds. */
  readonly abortGraceMs?: number;
}

const ABORT_GRACE_MS = 5_000;

/** Shorter, so that a stopping worker is gone in time. */
const DRAIN_GRACE_MS = 1_000;

/** Ten progress messages per second and task. */
const PROGRESS_INTERVAL_MS = 100;

/** Runs attempts of tasks that are claimed (attempt.ts says how): tool, outcome, and what becomes of the task. */
export class AttemptRunner {
  readonly #options: AttemptRunnerOptions;
  readonly #writer: AttemptWriter;
  readonly #missing: MissingHandlers;
  readonly #versions: ToolVersions;

  constructor(options: AttemptRunnerOptions) {
    this.#options = options;
    this.#writer = new AttemptWriter(options);
    this.#missing = new MissingHandlers(options.log);
    this.#versions = new ToolVersions(options);
  }

  /** @param startedAt when the claim was asked for, by `performance.now()` */
  create(claim: Claim, seat: Seat, startedAt: number): Attempt {
    const { bus, statusChanged, metrics } = this.#options;
    if (claim.isTakenOver) metrics.lost(claim);
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
  async ready(
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

  /** Runs the tool, and writes what came of it. */
  run(attempt: Attempt, handler: RequestHandler, seat: Seat): Promise<Fate> {
    const { traceContext, attempt: number, waitedMs, taskId, toolName, queue } = attempt.claim;
    const parent = traceContext === null ? null : fromStored(traceContext);
    if (parent !== null && waitedMs !== null) tracedPast('queue wait', { parent, ms: waitedMs });
    const span = {
      kind: 'consumer',
      attributes: {
        'longshore.task.id': taskId,
        'longshore.attempt': number,
        'longshore.tool': toolName,
        'longshore.queue': queue,
      },
      parent,
      // What an earlier one has begun is picked up: it has its place in the same trace.
      links: parent !== null && number > 1 ? [parent] : [],
    } as const;
    return traced('attempt', span, () => this.#run(attempt, handler, seat));
  }

  async #run(attempt: Attempt, handler: RequestHandler, seat: Seat): Promise<Fate> {
    this.#tellDeprecated(attempt);
    this.#options.log.debug(this.#logFields(attempt), 'attempt started');
    const { metrics } = this.#options;
    metrics.started(attempt.claim);
    const startedAt = performance.now();
    const verdict = await this.#runHandler(handler, attempt);
    metrics.ran(attempt.claim, performance.now() - startedAt);
    if (verdict.kind === 'finish') return this.#finish(attempt, seat, handler, verdict.outcome);
    seat.write();
    return verdict.kind === 'failed'
      ? this.#fail(attempt, seat, handler, verdict.text)
      : this.#endStopped(attempt, verdict.why);
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
    seat: Seat,
    handler: RequestHandler,
    outcome: Outcome,
  ): Promise<Fate> {
    attempt.reporter.finish();
    const sized = this.#sized(attempt, handler, outcome);
    // A result that is too large to be sent whole keeps its seat until it is written: it is memory.
    if (sized.preview === undefined) seat.write();
    await attempt.logs.finish();
    const version = this.#options.handlers.tool(attempt.claim)?.announced.pluginVersion ?? null;
    const written = await this.#writer.finish(attempt, sized, version);
    if (written === 'written') {
      this.#options.metrics.finished(attempt.claim, outcomeKind(sized.outcome));
    }
    const message = written === 'written' ? 'task finished' : 'attempt finished';
    this.#log(attempt, { written, outcome: outcomeKind(sized.outcome) }, message);
    if (attempt.hasStarted()) void this.#cancelStarted(attempt.claim.taskId);
    return this.#after(written, DONE);
  }

  async #fail(attempt: Attempt, seat: Seat, handler: RequestHandler, text: string): Promise<Fate> {
    const failures = attempt.claim.failures + 1;
    if (failures >= attempt.claim.maxAttempts) {
      return this.#finish(attempt, seat, handler, handler.failedOutcome(text));
    }
    attempt.reporter.finish();
    await attempt.logs.finish();
    const retryInMs = retryDelayMs(handler.backoff, failures, Math.random());
    const written = await this.#writer.retry(attempt, text, retryInMs);
    if (written === 'written') this.#options.metrics.retried(attempt.claim);
    this.#log(attempt, { written, failures, retryInMs }, 'attempt failed, another will follow');
    return this.#after(written, again(retryInMs));
  }

  /**
   * What a task has started ends with it. The database knows whether it has ended: an outcome that was refused may
   * have been written by an earlier try, or the task is another attempt's, which goes on with what this one has started.
   * Should this fail, the sweeper does it.
   */
  async #cancelStarted(taskId: TaskId): Promise<void> {
    const { batches, log, metrics } = this.#options;
    try {
      const cancelled = await batches.store.cancelDescendants(taskId);
      metrics.orphaned(cancelled);
      stopCancelled(batches.bus, cancelled);
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
