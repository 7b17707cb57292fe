import { silentLogger } from '@longshore/core';
import { ErrorLog } from './error-log.ts';
import { redisConnection, untilRedisReady } from './redis-connection.ts';
import { DEFAULT_TIME_LIMITS } from './time-limits.ts';

/** What of a Redis server decides whether it serves. */
export interface RedisFacts {
  /** Such as 7.2.4; of a server that calls itself something else, the Redis it is like. */
  readonly version: string;
  /** Null: the server does not say. */
  readonly maxmemoryPolicy: string | null;
}

const READY_MS = 5_000;

/** @throws {LongshoreError} QUEUE_UNAVAILABLE when it does not let us in within 5 s */
export async function inspectRedis(url: string): Promise<RedisFacts> {
  const redis = redisConnection({
    url,
    temper: 'fail-fast',
    connectionName: 'longshore doctor',
    answerMs: DEFAULT_TIME_LIMITS.answerMs,
    errors: new ErrorLog(silentLogger),
  });
  try {
    await untilRedisReady(redis, READY_MS, new AbortController().signal);
    const info = await redis.info();
    return {
      version: /^redis_version:(\S+)/m.exec(info)?.[1] ?? 'unknown',
      maxmemoryPolicy: /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? null,
    };
  } finally {
    redis.disconnect();
  }
}
