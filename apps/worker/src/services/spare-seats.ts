import {
  type AttemptStore,
  type JobQueue,
  type Logger,
  PeriodicService,
  type TaskId,
} from '@longshore/core';
import type { RequestHandlers } from '../attempts/request-handlers.ts';
import type { Lane } from '../attempts/task-intake.ts';
import type { Seat, Seats } from '../run/seats.ts';
import { within } from '../run/store-call.ts';

export interface SpareSeatsOptions {
  /** By queue. */
  readonly seats: ReadonlyMap<string, Seats>;
  readonly attempts: Pick<AttemptStore, 'newcomers'>;
  readonly handlers: RequestHandlers;
  readonly jobs: Pick<JobQueue, 'remove'>;
  /** Runs a task past those whose jobs wait. */
  readonly run: (taskId: TaskId, seat: Seat, lane: Lane) => void;
  readonly log: Logger;
}

/** The longest that a newcomer waits for tasks of others that do not end, about. */
const INTERVAL_MS = 1_000;

const LOOK_TIMEOUT_MS = 2_000;

/** Principals looked at at once; the first may have tools that this worker has not. */
const NEWCOMERS = 20;

/**
 * Gives the spare seats of full queues to principals that run nothing of the queue anywhere. Their tasks are read
 * from Postgres, for in BullMQ they stand behind those of who has all the seats.
 */
export class SpareSeats extends PeriodicService {
  readonly #options: SpareSeatsOptions;

  constructor(options: SpareSeatsOptions) {
    super({ name: 'spare seats', pace: 'beat', intervalMs: INTERVAL_MS, log: options.log });
    this.#options = options;
  }

  /** Never rejects. */
  async runOnce(): Promise<void> {
    const full = [...this.#options.seats].filter(([, seats]) => seats.hasOnlySpare);
    await Promise.all(
      full.map(async ([queue, seats]) => {
        try {
          await this.#look(queue, seats);
        } catch (err) {
          this.#options.log.warn({ queue, err }, 'no look at who waits for a seat');
        }
      }),
    );
  }

  async #look(queue: string, seats: Seats): Promise<void> {
    const { attempts, handlers, jobs, run } = this.#options;
    const looked = attempts.newcomers(queue, NEWCOMERS);
    const tasks = await within(LOOK_TIMEOUT_MS, looked, 'looking who waits for a seat');
    for (const task of tasks) {
      if (!handlers.has(task)) continue;
      const seat = seats.takeFor(task.principalId);
      if (seat === null) continue;
      await jobs.remove(queue, task.taskId);
      run(task.taskId, seat, { queue, seats });
    }
  }
}
