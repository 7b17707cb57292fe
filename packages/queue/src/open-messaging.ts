import type {
  EventBus,
  JobConsumer,
  JobConsumerOptions,
  JobQueue,
  Logger,
  ScheduleId,
  ScheduleWakes,
  WakeAnswer,
} from '@longshore/core';
import type { BusTransport } from './bus/bus-transport.ts';
import { PostgresBusTransport } from './bus/postgres-bus-transport.ts';
import { RedisBusTransport } from './bus/redis-bus-transport.ts';
import { TopicBus } from './bus/topic-bus.ts';
import { ErrorLog } from './connections/error-log.ts';
import { checkPrefix, DEFAULT_PREFIX } from './connections/keys.ts';
import { DEFAULT_TIME_LIMITS, type TimeLimits } from './connections/time-limits.ts';
import { type BullDriver, taskIdsOf } from './jobs/bull-driver.ts';
import { BullJobConsumer } from './jobs/bull-job-consumer.ts';
import { BullJobQueue } from './jobs/bull-job-queue.ts';
import { BullScheduleWakes } from './jobs/bull-schedule-wakes.ts';
import { PostgresBullDriver } from './jobs/postgres-bull-driver.ts';
import { RedisBullDriver } from './jobs/redis-bull-driver.ts';

export interface MessagingOptions {
  /** Redis for jobs and messages; null: Postgres does both. */
  readonly redisUrl: string | null;
  readonly databaseUrl: string;
  readonly log: Logger;
  /** What all keys, queues and channels begin with; `longshore` unless said otherwise. */
  readonly prefix?: string;
  /** 5 s for an answer, 10 s for the first one, unless said otherwise. */
  readonly timeLimits?: Partial<TimeLimits>;
}

/** The job queue and the event bus of a process. Each is started and stopped by itself, in any order. */
export interface Messaging {
  readonly jobs: JobQueue;
  readonly bus: EventBus;
  /** A consumer needs neither `jobs` nor `bus` to be started; its connections are its own. */
  createJobConsumer(options: JobConsumerOptions): JobConsumer;
  /** To be started after `jobs`. @param onWake called when a schedule is due, in one of the processes */
  createScheduleWakes(onWake: (id: ScheduleId) => Promise<WakeAnswer>): ScheduleWakes;
}

/**
 * Chooses the servers for jobs and messages. Connects nothing: that is what `start` is for.
 *
 * `start` of each part rejects with QUEUE_UNAVAILABLE when its server does not answer within some 10 s. A part
 * that was started survives the server's absence and goes on when it is back.
 */
export function openMessaging(options: MessagingOptions): Messaging {
  const { redisUrl, databaseUrl, log } = options;
  const prefix = checkPrefix(options.prefix ?? DEFAULT_PREFIX);
  const errors = new ErrorLog(log);
  const limits = { ...DEFAULT_TIME_LIMITS, ...options.timeLimits };
  const { answerMs } = limits;
  const driver: BullDriver =
    redisUrl === null
      ? new PostgresBullDriver({ databaseUrl, prefix, log, errors, limits })
      : new RedisBullDriver({ url: redisUrl, prefix, errors, limits });
  const transport: BusTransport =
    redisUrl === null
      ? new PostgresBusTransport({ databaseUrl, prefix, errors, limits })
      : new RedisBusTransport({ url: redisUrl, prefix, errors, limits });
  return {
    jobs: new BullJobQueue({ driver, prefix, errors, answerMs }),
    bus: new TopicBus({ transport, prefix, log, errors, answerMs }),
    createJobConsumer: (consumer) =>
      new BullJobConsumer({ ...consumer, driver, prefix, log, subjectOf: taskIdsOf }),
    createScheduleWakes: (onWake) =>
      new BullScheduleWakes({ driver, prefix, log, errors, answerMs, onWake }),
  };
}
