import { withDeadline } from '@longshore/core';
import { createRedisBackend, Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { ErrorLog } from '../connections/error-log.ts';
import { queueUnavailable } from '../connections/queue-unavailable.ts';
import { endRedis, redisConnection, untilRedisReady } from '../connections/redis-connection.ts';
import type { TimeLimits } from '../connections/time-limits.ts';
import {
  type BullDriver,
  type BullQueue,
  type BullWorker,
  type BullWorkerOptions,
  bullQueue,
  DRAIN_DELAY_SECONDS,
  MAX_EVENTS,
  MAX_STALLED_COUNT,
  RETRY_DELAY_MS,
} from './bull-driver.ts';
import { withFetchBackoff } from './fetch-backoff.ts';

/**
 * BullMQ on Redis. All queues add over one connection that fails fast; each worker has two patient ones,
 * one of which only blocks. No auto-pipelining for workers: it halves their throughput, because every
 * command waits for the next turn of the event loop.
 */
export class RedisBullDriver implements BullDriver {
  readonly #url: string;
  readonly #prefix: string;
  readonly #errors: ErrorLog;
  readonly #limits: TimeLimits;
  #producer: Redis | null = null;

  constructor(options: { url: string; prefix: string; errors: ErrorLog; limits: TimeLimits }) {
    this.#url = options.url;
    this.#prefix = options.prefix;
    this.#errors = options.errors;
    this.#limits = options.limits;
  }

  async start(signal: AbortSignal): Promise<void> {
    this.#producer = this.#connect('fail-fast', 'producer');
    await untilRedisReady(this.#producer, this.#limits.readyMs, signal);
  }

  async stop(): Promise<void> {
    if (this.#producer !== null) endRedis(this.#producer);
    this.#producer = null;
  }

  async openQueue(name: string): Promise<BullQueue> {
    const connection = this.#producer;
    // BullMQ would wait for the connection without limit.
    if (connection?.status !== 'ready') throw queueUnavailable('Redis does not answer');
    const queue = new Queue(name, {
      connection,
      prefix: this.#prefix,
      streams: { events: { maxLen: MAX_EVENTS } },
    });
    queue.on('error', (error) => this.#failed(error, name));
    try {
      await queue.waitUntilReady();
    } catch (error) {
      await queue.close().catch(() => {});
      throw queueUnavailable('Redis does not answer', error);
    }
    return bullQueue(queue);
  }

  async openWorker(
    name: string,
    options: BullWorkerOptions,
    signal: AbortSignal,
  ): Promise<BullWorker> {
    const { readyMs } = this.#limits;
    const connection = this.#connect('patient', 'worker');
    try {
      await untilRedisReady(connection, readyMs, signal);
    } catch (error) {
      connection.disconnect();
      throw error;
    }
    const worker = new Worker(
      name,
      options.process,
      {
        connection,
        prefix: this.#prefix,
        autorun: false,
        concurrency: options.concurrency,
        lockDuration: options.leaseMs,
        stalledInterval: Math.ceil(options.leaseMs / 2),
        maxStalledCount: MAX_STALLED_COUNT,
        drainDelay: DRAIN_DELAY_SECONDS,
        runRetryDelay: RETRY_DELAY_MS,
      },
      withFetchBackoff(createRedisBackend),
    );
    worker.on('error', (error) => this.#failed(error, name));
    try {
      await withDeadline(worker.waitUntilReady(), readyMs, () => new Error('time-out'));
    } catch (error) {
      connection.disconnect();
      await worker.getBackend().close(true);
      throw queueUnavailable('Redis does not answer', error);
    }
    return {
      run: () => worker.run(),
      close: async () => {
        await worker.close();
        connection.disconnect();
      },
      abandon: async () => {
        endRedis(connection);
        const blocking = await worker.getBackend().blockingClient;
        if (blocking !== undefined) endRedis(blocking);
      },
    };
  }

  #connect(temper: 'fail-fast' | 'patient', purpose: string): Redis {
    return redisConnection({
      url: this.#url,
      temper,
      connectionName: `${this.#prefix}-${purpose}`,
      answerMs: this.#limits.answerMs,
      errors: this.#errors,
    });
  }

  #failed(error: Error, queue: string): void {
    this.#errors.warn({ err: error, queue }, 'job queue reported an error');
  }
}
