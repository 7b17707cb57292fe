import { Redis, type RedisOptions } from 'ioredis';
import type { ErrorLog } from './error-log.ts';
import { queueUnavailable } from './queue-unavailable.ts';

const COMMON = {
  lazyConnect: true,
  connectTimeout: 5_000,
  keepAlive: 10_000,
  // 50 ms, 100 ms, ... 2 s, and up to as much again, so that many processes do not come back together.
  retryStrategy: (attempt: number) =>
    Math.min(2_000, 25 * 2 ** attempt) * (0.5 + Math.random() / 2),
} satisfies RedisOptions;

/**
 * For callers that want an answer or an error, at once: nothing is buffered while the server is away,
 * what was on its way when the connection broke is given up.
 */
const FAIL_FAST = {
  ...COMMON,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
} satisfies RedisOptions;

/**
 * For a BullMQ worker, which wants its commands kept until the server is back (its blocking connection
 * insists on it). The worker blocks for up to 10 s, so silence is only suspicious after more.
 */
const PATIENT = {
  ...COMMON,
  maxRetriesPerRequest: null,
  socketTimeout: 15_000,
} satisfies RedisOptions;

export type RedisTemper = 'fail-fast' | 'patient';

/**
 * A connection that is not opened yet. Its errors are logged; it reconnects by itself until it is ended.
 *
 * @param options.answerMs silence after which a fail-fast connection is dropped
 */
export function redisConnection(options: {
  readonly url: string;
  readonly temper: RedisTemper;
  readonly connectionName: string;
  readonly answerMs: number;
  readonly errors: ErrorLog;
}): Redis {
  const { url, temper, connectionName, answerMs, errors } = options;
  const redis =
    temper === 'patient'
      ? new Redis(url, { ...PATIENT, connectionName })
      : new Redis(url, { ...FAIL_FAST, connectionName, socketTimeout: answerMs });
  redis.on('error', (error: Error) => {
    errors.warn({ err: error, connection: connectionName }, 'redis connection failed');
  });
  return redis;
}

/**
 * Opens the connection and waits until it can be used, over several attempts if need be.
 *
 * @throws {LongshoreError} QUEUE_UNAVAILABLE after `readyMs`, or when `signal` fires
 */
export async function untilRedisReady(
  redis: Redis,
  readyMs: number,
  signal: AbortSignal,
): Promise<void> {
  if (redis.status === 'ready') return;
  let lastError: Error | undefined;
  const onError = (error: Error): void => {
    lastError = error;
  };
  redis.on('error', onError);
  // A failed first attempt is no news: the connection goes on trying.
  if (redis.status === 'wait') redis.connect().catch(() => {});
  // Not AbortSignal.any with AbortSignal.timeout: on Node 20 it may be collected before it fires.
  let timer: NodeJS.Timeout | undefined;
  let onStop = (): void => {};
  try {
    await new Promise<void>((resolve, reject) => {
      const refuse = (reason: string): void => {
        redis.off('ready', resolve);
        reject(queueUnavailable(reason, lastError));
      };
      redis.once('ready', resolve);
      timer = setTimeout(() => refuse('Redis does not answer'), readyMs);
      onStop = () => refuse('stopped while connecting to Redis');
      signal.addEventListener('abort', onStop, { once: true });
      if (signal.aborted) onStop();
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onStop);
    redis.off('error', onError);
  }
}

/**
 * Ends a connection for good. Between two attempts to connect ioredis would only give up trying, and leave
 * the commands it has kept without an answer for ever; ending an attempt answers them.
 */
export function endRedis(redis: Endable): void {
  if (redis.status === 'reconnecting') redis.connect().catch(() => {});
  redis.disconnect();
}

interface Endable {
  readonly status: string;
  connect(): Promise<unknown>;
  disconnect(): void;
}
