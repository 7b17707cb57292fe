import type { Logger, PrincipalId, RequestCounts, RequestWindow, Service } from '@longshore/core';
import { withDeadline } from '@longshore/core';
import type { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { ErrorLog } from '../connections/error-log.ts';
import { checkPrefix, DEFAULT_PREFIX, requestCountPrefix } from '../connections/keys.ts';
import { queueUnavailable } from '../connections/queue-unavailable.ts';
import { endRedis, redisConnection } from '../connections/redis-connection.ts';

const WINDOW_SECONDS = 60;

/** Nobody waits for the counts: what takes longer has better been given up. */
const ANSWER_MS = 2_000;

/**
 * Requests per minute in Redis, by rate-limiter-flexible: one script per principal, whose key lives as long as
 * its window. On a connection of its own, for the others fail when an answer of theirs takes long.
 *
 * The library counts and nothing else: who is refused is decided where the requests come in, without asking.
 */
export class RedisRequestCounts implements RequestCounts, Service {
  readonly #url: string;
  readonly #prefix: string;
  readonly #errors: ErrorLog;
  #open: { readonly redis: Redis; readonly limiter: RateLimiterRedis } | null = null;

  constructor(options: { url: string; log: Logger; prefix?: string }) {
    this.#url = options.url;
    this.#prefix = checkPrefix(options.prefix ?? DEFAULT_PREFIX);
    this.#errors = new ErrorLog(options.log);
  }

  /** Connects, and waits for nothing: without Redis `add` fails, now as later. */
  async start(): Promise<void> {
    if (this.#open !== null) return;
    const redis = redisConnection({
      url: this.#url,
      temper: 'fail-fast',
      connectionName: `${this.#prefix}-limits`,
      answerMs: ANSWER_MS,
      errors: this.#errors,
    });
    redis.connect().catch(() => {});
    const limiter = new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: requestCountPrefix(this.#prefix),
      points: Number.MAX_SAFE_INTEGER,
      duration: WINDOW_SECONDS,
      rejectIfRedisNotReady: true,
    });
    this.#open = { redis, limiter };
  }

  async stop(): Promise<void> {
    if (this.#open !== null) endRedis(this.#open.redis);
    this.#open = null;
  }

  /** @throws {LongshoreError} QUEUE_UNAVAILABLE; part of the requests may have been counted */
  async add(
    requests: ReadonlyMap<PrincipalId, number>,
  ): Promise<ReadonlyMap<PrincipalId, RequestWindow>> {
    if (this.#open === null) throw queueUnavailable('the request counts are not started');
    const { limiter } = this.#open;
    const counted = Promise.all(
      [...requests].map(async ([principal, count]) => {
        const { consumedPoints, msBeforeNext } = await limiter.penalty(principal, count);
        return [principal, { requests: consumedPoints, endsInMs: msBeforeNext }] as const;
      }),
    );
    try {
      return new Map(
        await withDeadline(counted, ANSWER_MS, () => new Error('it took over two seconds')),
      );
    } catch (error) {
      throw queueUnavailable('Redis does not count requests', error);
    }
  }
}
