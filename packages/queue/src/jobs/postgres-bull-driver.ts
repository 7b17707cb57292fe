import { type Logger, withDeadline } from '@longshore/core';
import { createPostgresBackend, type PgPool, withBackend } from 'bullmq';
import pg from 'pg';
import { migrateBullSchema } from '../connections/bull-schema.ts';
import type { ErrorLog } from '../connections/error-log.ts';
import { BULL_SCHEMA } from '../connections/keys.ts';
import { endPool, postgresConfig } from '../connections/postgres-connection.ts';
import { queueUnavailable } from '../connections/queue-unavailable.ts';
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

const { Queue } = withBackend(createPostgresBackend);
const { Worker } = withBackend(withFetchBackoff(createPostgresBackend));

/** More do not make it faster: BullMQ's statements meet at the same locks. */
const WORKER_CONNECTIONS = 4;

/** A worker's commands may wait for each other at locks. */
const WORKER_ANSWER_MS = 10_000;

/**
 * Where BullMQ finds its tables; and no waiting for the disk: a job is a hint, its task is a row of ours, and
 * the sweeper brings back what a crash of Postgres forgot.
 */
const SETTINGS = { search_path: BULL_SCHEMA, synchronous_commit: 'off' };

/**
 * BullMQ on Postgres, in a schema of its own beside our tables. Pools are made here and not by BullMQ, which
 * would make one per queue. A worker keeps one more connection, for LISTEN.
 */
export class PostgresBullDriver implements BullDriver {
  readonly #databaseUrl: string;
  readonly #prefix: string;
  readonly #log: Logger;
  readonly #errors: ErrorLog;
  readonly #limits: TimeLimits;
  #producer: pg.Pool | null = null;

  constructor(options: {
    databaseUrl: string;
    prefix: string;
    log: Logger;
    errors: ErrorLog;
    limits: TimeLimits;
  }) {
    this.#databaseUrl = options.databaseUrl;
    this.#prefix = options.prefix;
    this.#log = options.log;
    this.#errors = options.errors;
    this.#limits = options.limits;
  }

  async start(): Promise<void> {
    await migrateBullSchema(this.#databaseUrl, this.#log);
    this.#producer = this.#pool('producer', 2, this.#limits.answerMs);
  }

  async stop(): Promise<void> {
    if (this.#producer !== null) await endPool(this.#producer);
    this.#producer = null;
  }

  async openQueue(name: string): Promise<BullQueue> {
    if (this.#producer === null) throw queueUnavailable('the job queue is not started');
    const queue = new Queue(name, {
      connection: forBull(this.#producer),
      streams: { events: { maxLen: MAX_EVENTS } },
    });
    queue.on('error', (error) => this.#failed(error, name));
    try {
      await queue.waitUntilReady();
    } catch (error) {
      await queue.close().catch(() => {});
      throw queueUnavailable('Postgres does not answer', error);
    }
    return bullQueue(queue);
  }

  async openWorker(name: string, options: BullWorkerOptions): Promise<BullWorker> {
    await migrateBullSchema(this.#databaseUrl, this.#log);
    const pool = this.#pool(
      'worker',
      1 + Math.min(options.concurrency, WORKER_CONNECTIONS),
      WORKER_ANSWER_MS,
    );
    const worker = new Worker(name, options.process, {
      connection: forBull(pool),
      autorun: false,
      concurrency: options.concurrency,
      lockDuration: options.leaseMs,
      stalledInterval: Math.ceil(options.leaseMs / 2),
      maxStalledCount: MAX_STALLED_COUNT,
      drainDelay: DRAIN_DELAY_SECONDS,
      runRetryDelay: RETRY_DELAY_MS,
    });
    worker.on('error', (error) => this.#failed(error, name));
    const close = async (): Promise<void> => {
      await worker.close();
      await endPool(pool);
    };
    try {
      const { readyMs } = this.#limits;
      await withDeadline(worker.waitUntilReady(), readyMs, () => new Error('time-out'));
    } catch (error) {
      await close();
      throw queueUnavailable('Postgres does not answer', error);
    }
    return { run: () => worker.run(), close, abandon: () => endPool(pool) };
  }

  #pool(purpose: string, max: number, answerMs: number): pg.Pool {
    const pool = new pg.Pool({
      ...postgresConfig(this.#databaseUrl, `${this.#prefix}-${purpose}`, answerMs, SETTINGS),
      max,
    });
    pool.on('error', (error) => {
      this.#errors.warn({ err: error, connection: purpose }, 'postgres connection failed');
    });
    return pool;
  }

  #failed(error: Error, queue: string): void {
    this.#errors.warn({ err: error, queue }, 'job queue reported an error');
  }
}

/** BullMQ describes the pool it wants in words of its own, which differ from pg's in the overloads of `on`. */
function forBull(pool: pg.Pool): PgPool {
  return pool as PgPool;
}
