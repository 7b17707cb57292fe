import type {
  AttemptStore,
  ClaimOutcome,
  JobDisposition,
  JobQueue,
  Logger,
  TaskId,
  WorkerId,
} from '@longshore/core';
import type { Pauses } from '@longshore/queue';
import { Hand } from '../run/hand.ts';
import type { Seat, Seats } from '../run/seats.ts';
import { retryUntilAborted } from '../run/store-call.ts';
import type { AttemptRunner } from './attempt-runner.ts';
import { again, DONE, type Fate } from './fate.ts';
import type { RunningAttempts } from './running-attempts.ts';

export interface TaskIntakeOptions {
  readonly workerId: WorkerId;
  readonly leaseMs: number;
  readonly attempts: Pick<AttemptStore, 'claim' | 'releaseUnconfirmed'>;
  readonly running: RunningAttempts;
  readonly runner: AttemptRunner;
  readonly jobs: Pick<JobQueue, 'addLater'>;
  /** Tasks whose jobs are not in the queue wait for their turn again. Must not reject. */
  readonly unadmit: (taskIds: readonly TaskId[]) => Promise<void>;
  /** What is not to start. */
  readonly pauses: Pick<Pauses, 'has' | 'tools'>;
  /** Called when this worker can run one more task, and the fleet perhaps one more of a kind. */
  readonly seatFreed: () => void;
  readonly log: Logger;
}

/** How long tasks wait here for seats, in milliseconds, before other workers get them. */
const KEPT_MS = 250;

/** When Postgres does not answer a claim, the job is looked at again after this. */
const CLAIM_FAILED_DELAY_MS = 1_000;

interface ClaimFailed {
  readonly kind: 'failed';
}

/** What a worker has of one queue. */
export interface Lane {
  readonly queue: string;
  readonly seats: Seats;
}

/**
 * Takes tasks from jobs: claims them, and has them run when they have seats. A job is only a hint that some tasks may
 * want to run: it is in hand until each of them runs, or has no seat to expect here. Attempts that run are kept by
 * their leases; when this process dies, the sweeper finds them once these are over.
 */
export class TaskIntake {
  readonly #options: TaskIntakeOptions;
  readonly #hands = new Set<Hand>();
  /** What goes on without a job. */
  readonly #under = new Set<Promise<void>>();
  #isStopping = false;

  constructor(options: TaskIntakeOptions) {
    this.#options = options;
  }

  /** The handler of a job. Never rejects. */
  async takeAll(taskIds: readonly TaskId[], lane: Lane): Promise<JobDisposition> {
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
  takeOne(taskId: TaskId, seat: Seat, lane: Lane): void {
    this.#goOn(
      taskId,
      this.#take(taskId, seat, lane).then((fate) => this.#put(taskId, fate, lane)),
    );
  }

  /** Starts nothing any more: what waits for seats goes back. */
  stopTaking(): void {
    this.#isStopping = true;
    for (const hand of this.#hands) hand.end();
  }

  /** Resolves when all attempts have ended. To be called when nothing is taken any more. */
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
    const { running, runner, seatFreed } = this.#options;
    const askedAt = performance.now();
    const leave = (): void => {
      seat.giveUp();
      seatFreed();
    };
    if (!running.claiming(taskId)) {
      leave();
      return again(CLAIM_FAILED_DELAY_MS);
    }
    const claimed = await this.#claim(taskId, lane.queue);
    if (claimed.kind !== 'claimed') {
      running.claimFailed(taskId);
      leave();
      return unclaimed(claimed);
    }
    // Postgres crashed and has lost the claim of the run that goes on here; now it has the same again.
    if (running.find(taskId)?.claim.attempt === claimed.claim.attempt) {
      running.claimFailed(taskId);
      leave();
      return DONE;
    }
    seat.principal = claimed.claim.principalId;
    const attempt = runner.create(claimed.claim, seat, askedAt);
    running.add(attempt);
    const over = (): void => {
      running.remove(attempt);
      leave();
    };
    const ready = await runner.ready(attempt, seat);
    if ('fate' in ready) {
      over();
      return ready.fate;
    }
    const run = runner
      .run(attempt, ready.handler, seat)
      .then((fate) => this.#put(taskId, fate, lane))
      .finally(over);
    this.#goOn(taskId, run);
    return DONE;
  }

  /** What goes on without a job is waited for by `ended`. */
  #goOn(taskId: TaskId, work: Promise<void>): void {
    const settled = work
      .catch((err: unknown) => {
        this.#options.log.error({ taskId, err }, 'attempt broke');
      })
      .finally(() => this.#under.delete(settled));
    this.#under.add(settled);
  }

  /** Without a time-out of our own: the store has one, and a claim that comes late is run like any other. */
  async #claim(taskId: TaskId, queue: string): Promise<ClaimOutcome | ClaimFailed> {
    const { attempts, workerId, leaseMs, pauses, log } = this.#options;
    if (pauses.has({ kind: 'queue', name: queue })) return { kind: 'no_slot' };
    try {
      return await attempts.claim(taskId, workerId, leaseMs, pauses.tools);
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
