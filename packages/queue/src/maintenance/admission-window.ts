import { type Clock, type JobQueue, type MaintenanceStore, systemClock } from '@longshore/core';
import { DEFAULT_WINDOW_JOBS } from './relay.ts';

/** A count this old is asked for again, when somebody looks. */
const REFRESH_MS = 50;

/** A queue that has not said its count after this long is left to the relay. */
const ANSWER_MS = 1_000;

export interface AdmissionWindowOptions {
  readonly jobs: Pick<JobQueue, 'waitingCount'>;
  readonly store: Pick<MaintenanceStore, 'queueLoad'>;
  /** Jobs of a queue that may wait for a worker (`Relay.depthOf`). */
  readonly depthOf: (queue: string) => number;
  /** Jobs per queue, as in the relay; 4,000 by default. */
  readonly windowJobs?: number;
  readonly clock?: Clock;
}

interface QueueState {
  /** Jobs that waited for a worker when last asked; null: never answered, or not lately. */
  waiting: number | null;
  /** Jobs that may: what the relay says, and no less than there are seats. */
  seats: number;
  countedAt: number;
  /** Jobs this process has added since it asked. */
  added: number;
  /** When the question under way was put; null: none is. */
  askedAt: number | null;
}

/**
 * Answers, without waiting, whether a task's job can be added right now, with nobody's turn to be kept: fewer
 * jobs wait than the queue should have (`QueueDepth`), by what it had when last asked plus what this process
 * has added since. Asks again every 50 ms while somebody looks, and not at all while nobody does, so there
 * is nothing to stop.
 *
 * The answer is an estimate: other processes add too, and after a pause the first answers rest on an old
 * count. So a queue may become some times as deep as it should be, once for each API process, which costs
 * those who come next that much time. What is not known is "no": the relay asks better.
 */
export class AdmissionWindow {
  readonly #options: AdmissionWindowOptions;
  readonly #windowJobs: number;
  readonly #clock: Clock;
  readonly #queues = new Map<string, QueueState>();

  constructor(options: AdmissionWindowOptions) {
    this.#options = options;
    this.#windowJobs = options.windowJobs ?? DEFAULT_WINDOW_JOBS;
    this.#clock = options.clock ?? systemClock;
  }

  hasRoom(queue: string): boolean {
    const state = this.#state(queue);
    const now = this.#clock.now();
    if (state.askedAt !== null && now - state.askedAt > ANSWER_MS) state.waiting = null;
    if (state.askedAt === null && now - state.countedAt > REFRESH_MS) void this.#ask(queue, state);
    if (state.waiting === null) return false;
    const depth = Math.min(this.#windowJobs, Math.max(state.seats, this.#options.depthOf(queue)));
    return state.waiting + state.added < depth;
  }

  /** To be called for each job this process adds itself. */
  admitted(queue: string): void {
    this.#state(queue).added += 1;
  }

  #state(queue: string): QueueState {
    const known = this.#queues.get(queue);
    if (known !== undefined) return known;
    const state: QueueState = {
      waiting: null,
      seats: 0,
      countedAt: -Infinity,
      added: 0,
      askedAt: null,
    };
    this.#queues.set(queue, state);
    return state;
  }

  async #ask(queue: string, state: QueueState): Promise<void> {
    state.askedAt = this.#clock.now();
    const addedBefore = state.added;
    try {
      const { jobs, store } = this.#options;
      // The queue's own count has delayed retries in it, which are in nobody's way; that it answers matters.
      const [inQueue, load] = await Promise.all([
        jobs.waitingCount(queue),
        store.queueLoad(queue, this.#windowJobs),
      ]);
      state.waiting = inQueue >= this.#windowJobs ? this.#windowJobs : load.waiting;
      state.seats = load.seats;
      state.added -= addedBefore;
    } catch {
      // Whoever does not answer has logged why, or will when the task is stored.
      state.waiting = null;
    }
    state.countedAt = this.#clock.now();
    state.askedAt = null;
  }
}
