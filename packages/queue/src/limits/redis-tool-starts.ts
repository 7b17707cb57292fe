import {
  type Logger,
  type Service,
  type ToolRate,
  type ToolStarts,
  withDeadline,
} from '@longshore/core';
import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { ErrorLog } from '../connections/error-log.ts';
import { checkPrefix, DEFAULT_PREFIX, toolStartPrefix } from '../connections/keys.ts';
import { queueUnavailable } from '../connections/queue-unavailable.ts';
import { endRedis, redisConnection } from '../connections/redis-connection.ts';

const ANSWER_MS = 2_000;

/**
 * The library's script, but for two things: its windows are of milliseconds (the library hands on its
 * `duration` as a whole number, which it takes for seconds), and what is refused is not counted, so that those
 * who wait use up nothing of a worker with a higher rate.
 */
const TAKE = `
redis.call('set', KEYS[1], 0, 'PX', ARGV[2], 'NX')
local taken = tonumber(redis.call('get', KEYS[1])) + ARGV[1]
if taken <= tonumber(ARGV[3]) then redis.call('incrby', KEYS[1], ARGV[1]) end
return {taken, redis.call('pttl', KEYS[1])}
`;

/**
 * Starts of tools in Redis, by rate-limiter-flexible: one script per start, on a key that lives as long as its
 * window. On a connection of its own, for the others fail when an answer of theirs takes long.
 */
export class RedisToolStarts implements ToolStarts, Service {
  readonly #url: string;
  readonly #prefix: string;
  readonly #errors: ErrorLog;
  #redis: Redis | null = null;

  constructor(options: { url: string; log: Logger; prefix?: string }) {
    this.#url = options.url;
    this.#prefix = checkPrefix(options.prefix ?? DEFAULT_PREFIX);
    this.#errors = new ErrorLog(options.log);
  }

  /** Connects, and waits for nothing: without Redis `take` fails, now as later. */
  async start(): Promise<void> {
    if (this.#redis !== null) return;
    this.#redis = redisConnection({
      url: this.#url,
      temper: 'fail-fast',
      connectionName: `${this.#prefix}-starts`,
      answerMs: ANSWER_MS,
      errors: this.#errors,
    });
    this.#redis.connect().catch(() => {});
  }

  async stop(): Promise<void> {
    if (this.#redis !== null) endRedis(this.#redis);
    this.#redis = null;
  }

  /** @throws {LongshoreError} QUEUE_UNAVAILABLE; a start may have been taken */
  async take(toolName: string, { starts, perMs }: ToolRate): Promise<number> {
    if (this.#redis === null) throw queueUnavailable('the starts of tools are not started');
    const limiter = new RateLimiterRedis({
      storeClient: this.#redis,
      keyPrefix: toolStartPrefix(this.#prefix),
      points: starts,
      duration: perMs,
      customIncrTtlLuaScript: TAKE,
      rejectIfRedisNotReady: true,
    });
    try {
      await withDeadline(
        limiter.consume(toolName),
        ANSWER_MS,
        () => new Error('it took over two seconds'),
      );
      return 0;
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return Math.max(1, refusal.msBeforeNext);
      throw queueUnavailable('Redis does not count starts of tools', refusal);
    }
  }
}
