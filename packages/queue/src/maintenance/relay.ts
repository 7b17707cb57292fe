import {
  type JobQueue,
  type Logger,
  type MaintenanceStore,
  PeriodicService,
  type TaskId,
} from '@longshore/core';
import type { Pauses } from './pauses.ts';
import { QueueDepth } from './queue-depth.ts';

/*
 * Every accepted task is a row; BullMQ holds a few of them per queue (`QueueDepth`). While fewer wait,
 * accepting a task adds its job at once (`AdmissionWindow`). The relay brings the others, by turns of their
 * principals (admit-tasks.ts):
 *
 *   row, enqueued_at null  --admit-->  row, enqueued_at now  --add-->  job in BullMQ
 *                                              |
 *                      add failed: --unadmit---+   (back to the first state)
 *
 * Postgres is authoritative. If the process dies between admit and add, or unadmit fails too, the row looks
 * enqueued and has no job: the sweeper finds it (`Sweeper`). Adding twice is adding once. Any number of
 * processes relay at once, one of them at a time for each queue.
 *
 * Who looks when: after an accepted task that found no room, after each attempt, and once a second.
 */

/** Jobs BullMQ holds per queue at most, about: keeps Redis small. */
export const DEFAULT_WINDOW_JOBS = 4_000;

export interface RelayOptions {
  readonly store: Pick<MaintenanceStore, 'queuesWithBacklog' | 'admit' | 'unadmit'>;
  readonly jobs: Pick<JobQueue, 'add'>;
  readonly log: Logger;
  /** What is not to start; nothing by default. */
  readonly pauses?: Pick<Pauses, 'has' | 'tools'>;
  /** Jobs per queue; 4,000 by default. The same in all processes. */
  readonly windowJobs?: number;
  /** Rows per statement; 500 by default. */
  readonly batchSize?: number;
  /** Milliseconds; 1 s by default. */
  readonly intervalMs?: number;
}

/** Moves tasks from the table into the job queue as far as its window has room. A poke says that one was left to it. */
export class Relay extends PeriodicService {
  readonly #options: RelayOptions;
  readonly #windowJobs: number;
  readonly #batchSize: number;
  readonly #depths = new Map<string, QueueDepth>();
  #lookedAt = performance.now();

  constructor(options: RelayOptions) {
    const { intervalMs = 1_000, log } = options;
    super({ name: 'relay', intervalMs, minGapMs: 25, maxBackoffMs: 15_000, log });
    this.#options = options;
    this.#windowJobs = options.windowJobs ?? DEFAULT_WINDOW_JOBS;
    this.#batchSize = options.batchSize ?? 500;
  }

  /**
   * Fills the windows of all queues with a backlog, the queues side by side.
   *
   * @returns how many jobs were added
   * @throws {AggregateError} with the failures of some queues, after the others were filled
   */
  async runOnce(signal?: AbortSignal): Promise<number> {
    const { store, pauses } = this.#options;
    const queues = (await store.queuesWithBacklog()).filter(
      (name) => pauses?.has({ kind: 'queue', name }) !== true,
    );
    const outcomes = await Promise.allSettled(queues.map((queue) => this.#fill(queue, signal)));
    let added = 0;
    const errors: unknown[] = [];
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') added += outcome.value;
      else errors.push(outcome.reason);
    }
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} queues not filled`);
    this.#lookedAt = performance.now();
    return added;
  }

  /** Milliseconds since all queues were looked at, or since there is a relay. */
  get lagMs(): number {
    return performance.now() - this.#lookedAt;
  }

  /** Jobs of this queue that may wait in BullMQ, as seen at the last look. */
  depthOf(queue: string): number {
    return this.#depth(queue).jobs;
  }

  /** One look, and more while a batch was too small or a principal's share of the room more than it had. */
  async #fill(queue: string, signal: AbortSignal | undefined): Promise<number> {
    const { store } = this.#options;
    const pausedTools = this.#options.pauses?.tools ?? [];
    const depth = this.#depth(queue);
    let added = 0;
    let isFirst = true;
    while (signal?.aborted !== true) {
      const plan = {
        depth: depth.jobs,
        most: this.#windowJobs,
        limit: this.#batchSize,
        pausedTools,
      };
      const admission = await store.admit(queue, plan);
      if (admission === null) {
        this.poke();
        break;
      }
      const { waiting, seats, jobs } = admission;
      if (isFirst)
        depth.saw({ waiting, seats, hadBacklog: jobs.length > 0, at: performance.now() });
      isFirst = false;
      await this.#add(
        queue,
        jobs.map(({ taskId }) => taskId),
      );
      added += jobs.length;
      const isBatchFull = jobs.length === this.#batchSize;
      if (jobs.length === 0 || (!isBatchFull && waiting + jobs.length >= depth.jobs)) break;
    }
    return added;
  }

  #depth(queue: string): QueueDepth {
    const known = this.#depths.get(queue);
    if (known !== undefined) return known;
    const depth = new QueueDepth(this.#windowJobs);
    this.#depths.set(queue, depth);
    return depth;
  }

  async #add(queue: string, ids: readonly TaskId[]): Promise<void> {
    if (ids.length === 0) return;
    try {
      await this.#options.jobs.add(queue, ids);
    } catch (error) {
      await this.#options.store.unadmit(ids);
      throw error;
    }
  }
}
