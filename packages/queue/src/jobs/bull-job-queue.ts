import { type JobQueue, ServiceLifecycle, type TaskId, withDeadline } from '@longshore/core';
import { endsWithin } from '../connections/deadline.ts';
import type { ErrorLog } from '../connections/error-log.ts';
import { queueName } from '../connections/keys.ts';
import { queueUnavailable } from '../connections/queue-unavailable.ts';
import type { BullDriver, BullQueue } from './bull-driver.ts';
import { MergedAdds } from './merged-adds.ts';

/** How long queue objects are given to close. */
const END_MS = 1_000;

interface Lane {
  readonly adds: MergedAdds;
  /** Null until first used, and again after opening failed. */
  opened: Promise<BullQueue> | null;
}

/** The producing side on BullMQ. BullMQ's queue objects are made when a queue is first used, and kept. */
export class BullJobQueue implements JobQueue {
  readonly #driver: BullDriver;
  readonly #prefix: string;
  readonly #errors: ErrorLog;
  readonly #answerMs: number;
  readonly #lanes = new Map<string, Lane>();
  readonly #lifecycle: ServiceLifecycle;

  /** @param options.answerMs nobody waits longer for an answer of the queue */
  constructor(options: {
    driver: BullDriver;
    prefix: string;
    errors: ErrorLog;
    answerMs: number;
  }) {
    this.#driver = options.driver;
    this.#prefix = options.prefix;
    this.#errors = options.errors;
    this.#answerMs = options.answerMs;
    this.#lifecycle = new ServiceLifecycle({
      up: (signal) => this.#driver.start(signal),
      down: () => this.#close(),
    });
  }

  start(): Promise<void> {
    return this.#lifecycle.start();
  }

  stop(): Promise<void> {
    return this.#lifecycle.stop();
  }

  async add(queue: string, taskIds: readonly TaskId[]): Promise<void> {
    if (taskIds.length === 0) return;
    await this.#lane(queue).adds.add(taskIds);
  }

  async addLater(queue: string, taskId: TaskId, delayMs: number): Promise<void> {
    await this.#ask(queue, (bull) => bull.addLater(taskId, delayMs));
  }

  async remove(queue: string, taskId: TaskId): Promise<void> {
    try {
      await this.#ask(queue, (bull) => bull.remove(taskId));
    } catch (error) {
      this.#errors.warn({ err: error, queue, taskId }, 'job could not be removed');
    }
  }

  waitingCount(queue: string): Promise<number> {
    return this.#ask(queue, (bull) => bull.waitingCount());
  }

  async #ask<T>(queue: string, question: (bull: BullQueue) => Promise<T>): Promise<T> {
    const answer = this.#open(this.#lane(queue), queue).then(question);
    try {
      return await withDeadline(answer, this.#answerMs, () => new Error('no answer'));
    } catch (error) {
      throw queueUnavailable(`queue ${queue} can not be asked`, error);
    }
  }

  #lane(queue: string): Lane {
    const known = this.#lanes.get(queue);
    if (known !== undefined) return known;
    const lane: Lane = {
      opened: null,
      adds: new MergedAdds(async (ids) => {
        const bull = await this.#open(lane, queue);
        await bull.add(ids);
      }, this.#answerMs),
    };
    this.#lanes.set(queue, lane);
    return lane;
  }

  /** A queue that could not be opened is tried again at its next use. */
  async #open(lane: Lane, queue: string): Promise<BullQueue> {
    if (!this.#lifecycle.isRunning) throw queueUnavailable('the job queue is not started');
    const opened = lane.opened ?? this.#driver.openQueue(queueName(this.#prefix, queue));
    lane.opened = opened;
    try {
      return await opened;
    } catch (error) {
      if (lane.opened === opened) lane.opened = null;
      throw error;
    }
  }

  async #close(): Promise<void> {
    const lanes = [...this.#lanes.values()];
    this.#lanes.clear();
    await Promise.all(lanes.map(({ opened }) => endsWithin(closeQueue(opened), END_MS)));
    await this.#driver.stop();
  }
}

async function closeQueue(opened: Promise<BullQueue> | null): Promise<void> {
  const queue = await opened;
  await queue?.close();
}
