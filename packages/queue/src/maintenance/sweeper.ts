import {
  type EndedTask,
  type EventBus,
  type JobQueue,
  type Logger,
  type MaintenanceStore,
  PeriodicService,
  type TaskId,
  taskTopic,
  workerTopic,
} from '@longshore/core';
import { untilDone } from './until-done.ts';

export interface SweeperOptions {
  readonly store: Pick<
    MaintenanceStore,
    | 'readmit'
    | 'unadmit'
    | 'failOverdue'
    | 'cancelOrphans'
    | 'deleteExpired'
    | 'deleteExpiredBatches'
  >;
  readonly jobs: Pick<JobQueue, 'add'>;
  readonly bus: Pick<EventBus, 'publish'>;
  readonly log: Logger;
  /** Milliseconds between sweeps; 5 s by default. */
  readonly intervalMs?: number;
  /**
   * Milliseconds after which an enqueued task that nobody runs gets its job again; 10 s by default. Jobs that only
   * wait are added again too, which changes nothing.
   */
  readonly staleMs?: number;
  /** Workers a task may lose before it is failed; 5 by default. */
  readonly maxLost?: number;
  /** Rows per statement; 500 by default. */
  readonly batchSize?: number;
}

export interface SweepReport {
  readonly readmitted: number;
  readonly failed: number;
  readonly deleted: number;
}

/**
 * Repairs what a crash of anything leaves behind: jobs that vanished from the queue, tasks past their
 * deadline or out of workers, tasks whose parent has ended, tasks past their ttl. Any number of processes may sweep at once.
 */
export class Sweeper extends PeriodicService {
  readonly #options: SweeperOptions;
  readonly #batchSize: number;

  constructor(options: SweeperOptions) {
    const { intervalMs = 5_000, log } = options;
    super({ name: 'sweeper', intervalMs, minGapMs: intervalMs / 2, maxBackoffMs: 30_000, log });
    this.#options = options;
    this.#batchSize = options.batchSize ?? 500;
  }

  /**
   * One sweep over everything, in batches, until nothing is left to repair.
   *
   * @throws {AggregateError} with the failures of some parts, after the others were done
   */
  async runOnce(signal?: AbortSignal): Promise<SweepReport> {
    const parts = [
      () => this.#readmit(),
      () => this.#failOverdue(),
      () => this.#deleteExpired(),
      () => this.#cancelOrphans(),
      () => this.#options.store.deleteExpiredBatches(this.#batchSize),
    ];
    const counts: number[] = [];
    const errors: unknown[] = [];
    for (const part of parts) {
      try {
        counts.push(await untilDone(this.#batchSize, signal, part));
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0)
      throw new AggregateError(errors, `${errors.length} parts of a sweep failed`);
    const [readmitted = 0, failed = 0, deleted = 0] = counts;
    if (readmitted + failed > 0) this.#options.log.info({ readmitted, failed }, 'tasks repaired');
    if (deleted > 0) this.#options.log.debug({ deleted }, 'expired tasks deleted');
    return { readmitted, failed, deleted };
  }

  async #readmit(): Promise<number> {
    const { store, staleMs = 10_000 } = this.#options;
    const stale = await store.readmit(staleMs, this.#batchSize);
    const byQueue = new Map<string, TaskId[]>();
    for (const { queue, taskId } of stale) {
      const ids = byQueue.get(queue);
      if (ids === undefined) byQueue.set(queue, [taskId]);
      else ids.push(taskId);
    }
    const outcomes = await Promise.allSettled(
      [...byQueue].map(([queue, ids]) => this.#addAgain(queue, ids)),
    );
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    return stale.length;
  }

  async #addAgain(queue: string, ids: readonly TaskId[]): Promise<void> {
    try {
      await this.#options.jobs.add(queue, ids);
    } catch (error) {
      // Then the relay brings them, as soon as the queue answers again.
      await this.#options.store.unadmit(ids);
      throw error;
    }
  }

  async #failOverdue(): Promise<number> {
    const { store, maxLost = 5 } = this.#options;
    const ended = await store.failOverdue(maxLost, this.#batchSize);
    await this.#tell(ended);
    return ended.length;
  }

  async #cancelOrphans(): Promise<number> {
    const ended = await this.#options.store.cancelOrphans(this.#batchSize);
    await this.#tell(ended);
    return ended.length;
  }

  async #deleteExpired(): Promise<number> {
    const { deleted, open } = await this.#options.store.deleteExpired(this.#batchSize);
    await this.#tell(open);
    return deleted;
  }

  /** Wakes whoever waits for these tasks, and stops whoever runs them. */
  async #tell(ended: readonly EndedTask[]): Promise<void> {
    const { bus } = this.#options;
    await Promise.all(
      ended.flatMap((task) => {
        const { id: taskId, workerId } = task;
        const told = [bus.publish(taskTopic(task), { kind: 'changed', taskId })];
        if (workerId !== null)
          told.push(bus.publish(workerTopic(workerId), { kind: 'cancel', taskId }));
        return told;
      }),
    );
  }
}
