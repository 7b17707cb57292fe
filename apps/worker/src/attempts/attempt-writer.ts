import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttemptStore,
  type EventBus,
  type Logger,
  LongshoreError,
  retryDelayMs,
  toolErrorOutcome,
  type WorkerId,
} from '@longshore/core';
import { outcomeStatus } from '../requests/failure.ts';
import type { SizedOutcome } from '../results/sized-outcome.ts';
import { within } from '../run/store-call.ts';
import { tellTask } from '../run/tell-task.ts';
import type { Attempt } from './attempt.ts';
import { messageText } from './attempt-reporter.ts';

/**
 * What became of a write: `written`, `refused` because the attempt is no longer the current one, or
 * `gave_up` because the database did not take it in time.
 */
export type WriteResult = 'written' | 'refused' | 'gave_up';

export interface AttemptWriterOptions {
  readonly attempts: AttemptStore;
  readonly bus: EventBus;
  readonly workerId: WorkerId;
  readonly leaseMs: number;
  readonly log: Logger;
}

/**
 * How long the end of an attempt is offered to a database that does not take it. Longer than the lease,
 * for while Postgres is away nobody else can claim the task either, and the fence makes a late
 * write harmless.
 */
const GIVE_UP_LEASES = 3;

const BACKOFF = { baseMs: 50, factor: 2, maxMs: 2_000 };

/** A write may fail for a reason that lies in another one it was grouped with: then try it again. */
const FINAL_ERRORS_ALLOWED = 3;

const WRITE_TIMEOUT_MS = 10_000;

/** Writes how attempts end, through short outages of the database, and tells the listeners afterwards. */
export class AttemptWriter {
  readonly #options: AttemptWriterOptions;

  constructor(options: AttemptWriterOptions) {
    this.#options = options;
  }

  /** Ends the task, in a tool of a plugin of this version, if in any. An outcome that can not be stored at all is replaced by an error that says so. */
  async finish(
    attempt: Attempt,
    sized: SizedOutcome,
    toolVersion: string | null,
  ): Promise<WriteResult> {
    try {
      return await this.#finish(attempt, sized, toolVersion);
    } catch (error) {
      this.#log(attempt, error, 'outcome can not be stored');
      return this.#orGiveUp(
        attempt,
        this.#finish(
          attempt,
          { outcome: toolErrorOutcome('The result of the tool could not be stored.') },
          toolVersion,
        ),
      );
    }
  }

  /** Gives the task back after a failure, due in `retryInMs`. */
  async retry(attempt: Attempt, error: string, retryInMs: number): Promise<WriteResult> {
    const { taskId, attempt: number, workerId } = attempt.claim;
    const failed = { taskId, attempt: number, workerId, error, retryInMs };
    return this.#orGiveUp(
      attempt,
      this.#persist(attempt, async () => {
        await this.#saveReport(attempt);
        return this.#options.attempts.retry(failed);
      }),
    );
  }

  /** Gives the task back as if it had not been claimed. */
  async release(attempt: Attempt): Promise<WriteResult> {
    return this.#orGiveUp(
      attempt,
      this.#persist(attempt, async () => {
        await this.#saveReport(attempt);
        return this.#options.attempts.release(attempt.claim);
      }),
    );
  }

  async #finish(
    attempt: Attempt,
    sized: SizedOutcome,
    toolVersion: string | null,
  ): Promise<WriteResult> {
    const { taskId, attempt: number, workerId } = attempt.claim;
    const { progress, statusMessage } = attempt.reporter.unsaved();
    const status = outcomeStatus(sized.outcome);
    const finished = {
      taskId,
      attempt: number,
      workerId,
      toolVersion,
      progress,
      statusMessage: status === null ? statusMessage : messageText(status),
      ...sized,
    };
    return this.#persist(attempt, () => this.#options.attempts.finish(finished));
  }

  /** Progress that listeners have seen must be in the row before another attempt reads its floor there. */
  async #saveReport({ claim: { taskId, attempt }, reporter }: Attempt): Promise<void> {
    const report = reporter.unsaved();
    if (report.progress === null && report.statusMessage === null) return;
    const { attempts, workerId, leaseMs } = this.#options;
    await attempts.heartbeat(workerId, leaseMs, [{ taskId, attempt, ...report }]);
    reporter.saved(report);
  }

  /** @throws what the store threw, when trying again will not help */
  async #persist(attempt: Attempt, write: () => Promise<boolean>): Promise<WriteResult> {
    const giveUpAt = performance.now() + GIVE_UP_LEASES * this.#options.leaseMs;
    let finalErrors = 0;
    for (let failures = 1; ; failures += 1) {
      try {
        const written = await within(WRITE_TIMEOUT_MS, write(), 'writing the end of an attempt');
        // Also after a refusal: an earlier try may have been committed without us hearing of it.
        this.#publishChanged(attempt);
        return written ? 'written' : 'refused';
      } catch (error) {
        if (!(error instanceof LongshoreError && error.retryable)) finalErrors += 1;
        if (finalErrors >= FINAL_ERRORS_ALLOWED) throw error;
        if (performance.now() >= giveUpAt) {
          this.#log(attempt, error, 'gave up writing the end of an attempt');
          return 'gave_up';
        }
        await sleep(retryDelayMs(BACKOFF, failures, Math.random()));
      }
    }
  }

  async #orGiveUp(attempt: Attempt, written: Promise<WriteResult>): Promise<WriteResult> {
    try {
      return await written;
    } catch (error) {
      this.#log(attempt, error, 'gave up writing the end of an attempt');
      return 'gave_up';
    }
  }

  /** Not waited for: a slow bus must not keep slots busy. */
  #publishChanged({ claim }: Attempt): void {
    tellTask(this.#options.bus, claim);
  }

  #log({ claim }: Attempt, err: unknown, message: string): void {
    const { taskId, attempt, toolName: tool } = claim;
    this.#options.log.error({ taskId, attempt, tool, err }, message);
  }
}
