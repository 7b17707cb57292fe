import type { Claim } from '@longshore/core';
import type { AttemptLogs } from '../logs/attempt-logs.ts';
import { type AbortReason, AttemptAborted } from './attempt-aborted.ts';
import type { AttemptReporter } from './attempt-reporter.ts';
import { TimeLimit } from './time-limit.ts';

/** One run of a tool, prompt or resource in this process, from its claim until its outcome is written. */
export class Attempt {
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
  #waits = 0;
  /** Whether the tool may have started other tasks. */
  hasStarted: () => boolean = () => false;
  #park: () => void = () => {};
  /** Resolves when it waits for others for the first time: from then on it needs no place among what runs. */
  readonly parked: Promise<void>;

  constructor(claim: Claim, reporter: AttemptReporter, logs: AttemptLogs, startedAt: number) {
    this.claim = claim;
    this.reporter = reporter;
    this.logs = logs;
    this.startedAt = startedAt;
    this.timeLimit = new TimeLimit(claim.timeoutMs, () => this.abort('timeout'));
    this.#leaseRenewedAt = startedAt;
    this.parked = new Promise((resolve) => {
      this.#park = resolve;
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Null while nobody stopped it. */
  get abortReason(): AbortReason | null {
    return this.#abortReason;
  }

  /** Stops the tool. The first reason counts; a tool that has returned is not stopped any more. */
  abort(why: AbortReason): void {
    if (this.#settled || this.#abortReason !== null) return;
    this.#abortReason = why;
    this.#controller.abort(new AttemptAborted(why));
  }

  /** True while the tool does nothing but wait for other tasks. */
  get isWaiting(): boolean {
    return this.#waits > 0;
  }

  /**
   * The tool waits for other tasks, which may need its place: it gives that away, for good, and its time
   * stands still until the wait is over.
   *
   * @returns ends the wait; may be called twice
   */
  wait(): () => void {
    this.#waits += 1;
    this.timeLimit.pause();
    this.#park();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#waits -= 1;
      this.timeLimit.resume();
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
