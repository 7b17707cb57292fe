import type { Claim } from '@longshore/core';
import { type AbortReason, AttemptAborted } from '../run/attempt-aborted.ts';
import type { RunningAttempt } from '../run/running-attempt.ts';
import type { Awaited, Seat } from '../run/seats.ts';
import type { AttemptLogs } from './attempt-logs.ts';
import type { AttemptReporter } from './attempt-reporter.ts';
import { TimeLimit } from './time-limit.ts';

/** One run of a tool, prompt or resource in this process, from its claim until its outcome is written. */
export class Attempt implements RunningAttempt {
  readonly claim: Claim;
  readonly reporter: AttemptReporter;
  /** What the tool logs for its client. */
  readonly logs: AttemptLogs;
  /** When the claim was asked for, by `performance.now()`. */
  readonly startedAt: number;
  /** Of this run, by the tool's policy. */
  readonly timeLimit: TimeLimit;
  readonly #controller = new AbortController();
  #abortReason: AbortReason | null = null;
  #settled = false;
  #leaseRenewedAt: number;
  readonly #seat: Seat;
  #waits = 0;
  /** Whether the tool may have started other tasks. */
  hasStarted: () => boolean = () => false;

  /**
   * @param parts.seat what it runs on; the attempt gives it away while it waits, whoever runs it gives it up
   * @param parts.startedAt when the claim was asked for, by `performance.now()`
   */
  constructor(
    claim: Claim,
    parts: {
      readonly reporter: AttemptReporter;
      readonly logs: AttemptLogs;
      readonly seat: Seat;
      readonly startedAt: number;
    },
  ) {
    const { reporter, logs, seat, startedAt } = parts;
    this.claim = claim;
    this.reporter = reporter;
    this.logs = logs;
    this.startedAt = startedAt;
    this.#seat = seat;
    this.timeLimit = new TimeLimit(claim.timeoutMs, () => this.abort('timeout'));
    this.#leaseRenewedAt = startedAt;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Null while nobody stopped it. */
  get abortReason(): AbortReason | null {
    return this.#abortReason;
  }

  /**
   * Stops the tool. The first reason counts; a tool that has returned is not stopped any more. One without a seat
   * gets none to stop with.
   */
  abort(why: AbortReason): void {
    if (this.#settled || this.#abortReason !== null) return;
    this.#abortReason = why;
    if (this.#seat.isAway) this.#seat.giveUp();
    this.#controller.abort(new AttemptAborted(why));
  }

  /** True while the tool does nothing but wait: for tasks, for an answer, or for its seat. */
  get isWaiting(): boolean {
    return this.#waits > 0;
  }

  wait(awaited: Awaited): () => Promise<void> {
    this.#waits += 1;
    this.timeLimit.pause();
    const endWait = this.#seat.wait(awaited);
    let isOver: Promise<void> | null = null;
    return () => {
      isOver ??= endWait().then(() => {
        this.#waits -= 1;
        this.timeLimit.resume();
      });
      return isOver;
    };
  }

  /** The tool has returned or was given up: from here on only its outcome is to be written. */
  settle(): void {
    this.#settled = true;
  }

  /** Milliseconds since the request that last renewed the lease was sent, never less than its age. */
  leaseAgeMs(): number {
    return performance.now() - this.#leaseRenewedAt;
  }

  /** @param askedAt when the renewal was asked for, by `performance.now()` */
  renewed(askedAt: number): void {
    this.#leaseRenewedAt = askedAt;
  }
}
