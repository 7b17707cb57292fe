import {
  type JobConsumer,
  type JobConsumerOptions,
  type JobDisposition,
  type Logger,
  ServiceLifecycle,
} from '@longshore/core';
import { DelayedError, type Job, WaitingError } from 'bullmq';
import { endsWithin, pause } from '../connections/deadline.ts';
import { queueName } from '../connections/keys.ts';
import { type BullDriver, type BullWorker, keepOnly } from './bull-driver.ts';

/** A handler that threw has decided nothing; its job comes back soon, to this worker or another one. */
const AFTER_THROW: JobDisposition = { kind: 'again', delayMs: 1_000 };

/** Pause before a worker whose loop broke is opened again. */
const REOPEN_MS = 1_000;

/** How long `stop` waits, unless said otherwise, for handlers and for a server that is away. */
const STOP_TIMEOUT_MS = 7_000;

/**
 * How long a consumer that passed a job on keeps its place, so that it does not fetch the job again before
 * the others could.
 */
const STEP_ASIDE_MS = 150;

/**
 * Parts of a lease for which it does so at most: BullMQ takes the job for one that runs here, and would renew its
 * lock after a quarter.
 */
const ASIDES_PER_LEASE = 8;

/** What BullMQ gets to come to an end, once nothing is left to wait for. */
const ABANDON_MS = 1_000;

type Until = NonNullable<Extract<JobDisposition, { kind: 'pass_on' }>['until']>;

export interface BullJobConsumerOptions<Subject> extends Omit<JobConsumerOptions, 'handler'> {
  /** What a job is for; null: the job is not ours. */
  readonly subjectOf: (job: Job) => Subject | null;
  readonly handler: (subject: Subject) => Promise<JobDisposition>;
  readonly driver: BullDriver;
  readonly prefix: string;
  readonly log: Logger;
}

/**
 * The consuming side: a BullMQ worker whose handler says what becomes of the job.
 *
 * A job leaves the queue only by `done`. A handler that throws, a process that dies, a job whose delay can not
 * be written: the job comes back, at the latest when its lease has run out. BullMQ's worker survives lost
 * connections and FLUSHALL by itself (its lost jobs are the sweeper's business).
 */
export class BullJobConsumer<Subject> implements JobConsumer {
  readonly #options: BullJobConsumerOptions<Subject>;
  readonly #log: Logger;
  readonly #lifecycle: ServiceLifecycle;
  /** Ways to let go of the handlers that run. */
  readonly #running = new Set<() => void>();
  /** Ways to end those who stand aside. */
  readonly #aside = new Set<() => void>();
  #worker: BullWorker | null = null;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: BullJobConsumerOptions<Subject>) {
    this.#options = options;
    this.#log = options.log;
    this.#lifecycle = new ServiceLifecycle({
      up: async (signal) => {
        this.#worker = await this.#open(signal);
        this.#loop = this.#keepRunning(signal);
      },
      down: () => this.#close(),
    });
  }

  start(): Promise<void> {
    return this.#lifecycle.start();
  }

  stop(): Promise<void> {
    return this.#lifecycle.stop();
  }

  #open(signal: AbortSignal): Promise<BullWorker> {
    const { driver, prefix, queue, concurrency, leaseMs } = this.#options;
    return driver.openWorker(
      queueName(prefix, queue),
      { concurrency, leaseMs, process: (job, token) => this.#process(job, token) },
      signal,
    );
  }

  async #keepRunning(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#worker?.run();
        if (signal.aborted) return;
        this.#log.error({ queue: this.#options.queue }, 'job consumer ended by itself');
        await this.#worker?.close();
      } catch (error) {
        this.#log.error({ err: error, queue: this.#options.queue }, 'job consumer broke');
      }
      this.#worker = null;
      while (this.#worker === null && !signal.aborted) {
        await pause(REOPEN_MS, signal);
        this.#worker = await this.#reopen(signal);
      }
    }
  }

  async #reopen(signal: AbortSignal): Promise<BullWorker | null> {
    if (signal.aborted) return null;
    try {
      const worker = await this.#open(signal);
      if (!signal.aborted) return worker;
      await worker.close();
      return null;
    } catch (error) {
      this.#log.warn({ err: error, queue: this.#options.queue }, 'job consumer can not start');
      return null;
    }
  }

  async #close(): Promise<void> {
    const { queue, stopTimeoutMs = STOP_TIMEOUT_MS } = this.#options;
    const worker = this.#worker;
    this.#worker = null;
    for (const end of this.#aside) end();
    const closed = Promise.resolve(worker?.close()).then(() => this.#loop);
    if (await endsWithin(closed, stopTimeoutMs)) return;
    this.#log.warn({ queue, handlers: this.#running.size }, 'job consumer stopped the hard way');
    for (const abandon of this.#running) abandon();
    await worker?.abandon();
    await endsWithin(closed, ABANDON_MS);
  }

  async #process(job: Job, token: string | undefined): Promise<void> {
    const subject = this.#options.subjectOf(job);
    if (subject === null) {
      this.#log.warn({ jobId: job.id, queue: this.#options.queue }, 'foreign job dropped');
      return;
    }
    const disposition = await this.#decide(job, subject);
    if (disposition?.kind === 'done') return;
    // Tells BullMQ that the job was taken care of. It is neither done nor failed.
    if (disposition === null) throw new DelayedError();
    if (disposition.kind === 'pass_on') return this.#passOn(job, token, disposition);
    if (disposition.kind === 'leave') return this.#leave(job, token, disposition.left);
    try {
      if (disposition.tasks !== undefined) await keepOnly(job, disposition.tasks);
      await job.moveToDelayed(Date.now() + disposition.delayMs, token);
    } catch (error) {
      this.#log.warn(
        { err: error, jobId: job.id },
        'job could not be delayed and returns when its lease has run out',
      );
    }
    throw new DelayedError();
  }

  /** A job that can not be taken out comes back when its lease has run out, and `left` is not called. */
  async #leave(job: Job, token: string | undefined, left: () => Promise<void>): Promise<never> {
    try {
      await job.moveToCompleted(null, token ?? '', false);
      await left();
    } catch (error) {
      this.#log.warn({ err: error, jobId: job.id }, 'job could not leave the queue in good order');
    }
    // Tells BullMQ that the job was taken care of.
    throw new WaitingError();
  }

  /** Back to the head of the queue, where whoever waits idly is served before us. */
  async #passOn(
    job: Job,
    token: string | undefined,
    { tasks, until }: Extract<JobDisposition, { kind: 'pass_on' }>,
  ): Promise<never> {
    try {
      if (tasks !== undefined) await keepOnly(job, tasks);
      await job.moveToWait(token);
    } catch (error) {
      this.#log.warn(
        { err: error, jobId: job.id },
        'job could not be passed on and returns when its lease has run out',
      );
    }
    await this.#standAside(until);
    throw new WaitingError();
  }

  /** Ends early when the consumer stops. */
  #standAside(until: Until | undefined): Promise<void> {
    if (!this.#lifecycle.isRunning) return Promise.resolve();
    return new Promise((resolve) => {
      let forget = (): void => {};
      const end = (): void => {
        clearTimeout(timer);
        forget();
        this.#aside.delete(end);
        resolve();
      };
      const longest = this.#options.leaseMs / ASIDES_PER_LEASE;
      const timer = setTimeout(end, until === undefined ? STEP_ASIDE_MS : longest);
      this.#aside.add(end);
      if (until !== undefined) forget = until(end);
    });
  }

  /** Null: `stop` waits no longer for the handler. */
  #decide(job: Job, subject: Subject): Promise<JobDisposition | null> {
    return new Promise((resolve) => {
      const abandon = (): void => resolve(null);
      this.#running.add(abandon);
      void this.#handle(job, subject).then((disposition) => {
        this.#running.delete(abandon);
        resolve(disposition);
      });
    });
  }

  async #handle(job: Job, subject: Subject): Promise<JobDisposition> {
    try {
      return await this.#options.handler(subject);
    } catch (error) {
      this.#log.error({ err: error, jobId: job.id }, 'job handler threw, the job comes back');
      return AFTER_THROW;
    }
  }
}
