import type { Claim } from '@longshore/core';
import { type AbortReason, AttemptAborted, type RunningAttempt } from '../run/running-attempt.ts';
import type { Awaited, Seat } from '../run/seats.ts';
import type { AttemptLogs } from './attempt-logs.ts';
import type { AttemptReporter } from './attempt-reporter.ts';
import { TimeLimit } from './time-limit.ts';

/*
 * How an attempt runs.
 *
 * Authority. The row. `claim` makes an attempt of a task (packages/core/task-states.md) and its number fences all that
 * follows: a write of an attempt that is not the latest one, or of a task that has ended, changes nothing and says so.
 *
 * States, in this process. Claimed: the row is ours (TaskIntake), and this worker may find that it has nothing to run it
 * with, or, when it was claimed ahead, no seat in time. Running: its tool has been called (run-attempt.ts). Away: the tool waits for an answer or for other tasks, or
 * stands in line for a seat; its time stands still (Seats). Stopped: `abort` was called, once, with a
 * reason, and the tool has a grace to return. Settled: it has returned or was given up. Over: AttemptWriter has taken
 * one of the edges `finish`, `retry`, `release`, or was refused.
 *
 * How long it may believe that it is the latest. A lease, from when the claim or the last heartbeat was asked for, which is
 * never later than Postgres counts. Four beats a lease; without one that worked for a lease it stops itself (`lost`).
 *
 * What fails. Postgres away: beats and writes are tried again, the end of an attempt for three leases. The worker dies: the lease
 * ends, and whoever gets a new job from the sweeper claims the next attempt. A claim without an answer: released.
 * A cancellation whose message is lost: the next beat tells. A tool that ignores its signal: its thread is ended, or
 * its seat is given away while it still runs, unheard.
 *
 * What one may rely on. One outcome per task, and none after `cancel`. Not on a tool running once: of what it does outside of
 * its context a later attempt may see a part, or meet it still under way.
 */

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
  /** Made when somebody asks for its signal: most tools never do. */
  #controller: AbortController | null = null;
  #stopped: () => void = () => {};
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
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#abortReason !== null) this.#controller.abort(new AttemptAborted(this.#abortReason));
    }
    return this.#controller.signal;
  }

  /** Calls back, once, when it is stopped; for whoever runs it. */
  onAbort(stopped: () => void): void {
    if (this.#abortReason !== null) stopped();
    else this.#stopped = stopped;
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
    this.#controller?.abort(new AttemptAborted(why));
    this.#stopped();
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
