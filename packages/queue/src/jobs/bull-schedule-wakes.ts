import {
  type JobDisposition,
  type Logger,
  type ScheduleId,
  type ScheduleWake,
  type ScheduleWakes,
  ServiceLifecycle,
  type WakeAnswer,
  withDeadline,
} from '@longshore/core';
import type { Job } from 'bullmq';
import * as z from 'zod';
import { endsWithin } from '../connections/deadline.ts';
import type { ErrorLog } from '../connections/error-log.ts';
import { queueName, SCHEDULE_QUEUE } from '../connections/keys.ts';
import { queueUnavailable } from '../connections/queue-unavailable.ts';
import type { BullDriver, BullQueue } from './bull-driver.ts';
import { BullJobConsumer } from './bull-job-consumer.ts';

/** Wakes that one process answers at once; each is a few statements. */
const CONCURRENCY = 4;

/** A wake whose process died comes again after this; by then a sweep has run what was due. */
const LEASE_MS = 30_000;

/** Questions to the queue under way at once. */
const MAX_QUESTIONS = 32;

/** How long the queue object is given to close. */
const END_MS = 1_000;

export interface BullScheduleWakesOptions {
  readonly driver: BullDriver;
  readonly prefix: string;
  readonly log: Logger;
  readonly errors: ErrorLog;
  /** Milliseconds until the queue counts as away. */
  readonly answerMs: number;
  /** Called for each wake, in one of the processes. */
  readonly onWake: (id: ScheduleId) => Promise<WakeAnswer>;
}

/**
 * Wakes by BullMQ: a job scheduler for each cron schedule, a delayed job for each that runs once, all in one
 * queue. To be started after the job queue, over whose connection they are written.
 */
export class BullScheduleWakes implements ScheduleWakes {
  readonly #options: BullScheduleWakesOptions;
  readonly #lifecycle: ServiceLifecycle;
  readonly #consumer: BullJobConsumer<ScheduleId>;
  #queue: Promise<BullQueue> | null = null;

  constructor(options: BullScheduleWakesOptions) {
    const { driver, prefix, log } = options;
    this.#options = options;
    this.#consumer = new BullJobConsumer({
      driver,
      prefix,
      log,
      queue: SCHEDULE_QUEUE,
      concurrency: CONCURRENCY,
      leaseMs: LEASE_MS,
      subjectOf: scheduleIdOf,
      handler: (id) => this.#wake(id),
    });
    this.#lifecycle = new ServiceLifecycle({
      up: () => this.#consumer.start(),
      down: async () => {
        const queue = this.#queue;
        this.#queue = null;
        await this.#consumer.stop();
        await endsWithin(closeQueue(queue), END_MS);
      },
    });
  }

  start(): Promise<void> {
    return this.#lifecycle.start();
  }

  stop(): Promise<void> {
    return this.#lifecycle.stop();
  }

  async arm({ id, cron, runAt, timeZone }: ScheduleWake): Promise<void> {
    await this.#ask(async (queue) => {
      if (cron !== null) await queue.repeat(id, cron, timeZone);
      else if (runAt !== null) await queue.delay(id, runAt);
    });
  }

  async disarm(id: ScheduleId): Promise<void> {
    try {
      await this.#ask((queue) => queue.cancel(id));
    } catch (error) {
      this.#options.errors.warn({ err: error, scheduleId: id }, 'schedule was not disarmed');
    }
  }

  async lost(schedules: readonly ScheduleWake[]): Promise<ReadonlySet<ScheduleId>> {
    const lost = new Set<ScheduleId>();
    for (let start = 0; start < schedules.length; start += MAX_QUESTIONS) {
      await this.#ask((queue) =>
        Promise.all(
          schedules.slice(start, start + MAX_QUESTIONS).map(async ({ id, cron }) => {
            const isThere = cron === null ? queue.isDelayed(id) : queue.isRepeated(id);
            if (!(await isThere)) lost.add(id);
          }),
        ),
      );
    }
    return lost;
  }

  async #wake(id: ScheduleId): Promise<JobDisposition> {
    const answer = await this.#options.onWake(id);
    if (answer.kind === 'early') return { kind: 'again', delayMs: answer.againInMs };
    // Its job scheduler, which has added the next job already, would go on for ever.
    if (answer.kind === 'gone') await this.disarm(id);
    return { kind: 'done' };
  }

  async #ask<T>(question: (queue: BullQueue) => Promise<T>): Promise<T> {
    const { answerMs } = this.#options;
    const answer = this.#open().then(question);
    try {
      return await withDeadline(answer, answerMs, () => new Error('no answer'));
    } catch (error) {
      throw queueUnavailable('the queue of schedules can not be asked', error);
    }
  }

  /** A queue that could not be opened is tried again at its next use. */
  async #open(): Promise<BullQueue> {
    if (!this.#lifecycle.isRunning) throw queueUnavailable('schedules are not started');
    const { driver, prefix } = this.#options;
    const opened = this.#queue ?? driver.openQueue(queueName(prefix, SCHEDULE_QUEUE));
    this.#queue = opened;
    try {
      return await opened;
    } catch (error) {
      if (this.#queue === opened) this.#queue = null;
      throw error;
    }
  }
}

/** A job of a job scheduler names it; one that was delayed has the id itself. */
function scheduleIdOf({ repeatJobKey, id }: Job): ScheduleId | null {
  const found = z.uuid().safeParse(repeatJobKey ?? id);
  return found.success ? (found.data as ScheduleId) : null;
}

async function closeQueue(opened: Promise<BullQueue> | null): Promise<void> {
  const queue = await opened;
  await queue?.close();
}
