import { type Logger, type Service, withDeadline } from '@longshore/core';
import type { Redis } from 'ioredis';
import { ErrorLog } from '../connections/error-log.ts';
import { checkPrefix, DEFAULT_PREFIX } from '../connections/keys.ts';
import { queueUnavailable } from '../connections/queue-unavailable.ts';
import { endRedis, redisConnection } from '../connections/redis-connection.ts';

/** Nobody waits for the counts: what takes longer has better been given up. */
const ANSWER_MS = 2_000;

/** A key lives as long as its window. What would be over the most is not counted, but told. */
const COUNT = `
redis.call('set', KEYS[1], 0, 'PX', ARGV[1], 'NX')
local count = tonumber(redis.call('get', KEYS[1])) + ARGV[2]
if count <= tonumber(ARGV[3]) then redis.call('incrby', KEYS[1], ARGV[2]) end
return {count, redis.call('pttl', KEYS[1])}
`;

interface Counting extends Redis {
  countInWindow(
    key: string,
    windowMs: number,
    by: number,
    most: number,
  ): Promise<[count: number, endsInMs: number]>;
}

export interface WindowCount {
  /** What the window has, with what was to be counted. */
  readonly count: number;
  readonly endsInMs: number;
}

export interface RedisWindowsOptions {
  readonly url: string;
  readonly log: Logger;
  /** What all keys begin with; `longshore` unless said otherwise. */
  readonly prefix?: string;
}

/**
 * Counts in windows of time in Redis: one script per count. On a connection of its own, for the others fail when
 * an answer of theirs takes long.
 */
export abstract class RedisWindows implements Service {
  protected readonly prefix: string;
  readonly #url: string;
  readonly #name: string;
  readonly #errors: ErrorLog;
  #redis: Counting | null = null;

  /** @param name of the connection, and of what is counted in errors: `limits` */
  constructor(name: string, options: RedisWindowsOptions) {
    this.prefix = checkPrefix(options.prefix ?? DEFAULT_PREFIX);
    this.#url = options.url;
    this.#name = name;
    this.#errors = new ErrorLog(options.log);
  }

  /** Connects, and waits for nothing: without Redis counting fails, now as later. */
  async start(): Promise<void> {
    if (this.#redis !== null) return;
    const redis = redisConnection({
      url: this.#url,
      temper: 'fail-fast',
      connectionName: `${this.prefix}-${this.#name}`,
      answerMs: ANSWER_MS,
      errors: this.#errors,
    });
    redis.defineCommand('countInWindow', { numberOfKeys: 1, lua: COUNT });
    redis.connect().catch(() => {});
    this.#redis = redis as Counting;
  }

  async stop(): Promise<void> {
    if (this.#redis !== null) endRedis(this.#redis);
    this.#redis = null;
  }

  /**
   * @param by by key
   * @param most what a window may have
   * @returns in the order of the keys
   * @throws {LongshoreError} QUEUE_UNAVAILABLE; a part may have been counted
   */
  protected async count(
    by: ReadonlyMap<string, number>,
    windowMs: number,
    most: number,
  ): Promise<readonly WindowCount[]> {
    const redis = this.#redis;
    if (redis === null) throw queueUnavailable(`the counts of ${this.#name} are not started`);
    const counted = Promise.all(
      [...by].map(async ([key, add]) => {
        const [count, endsInMs] = await redis.countInWindow(key, windowMs, add, most);
        return { count, endsInMs };
      }),
    );
    try {
      return await withDeadline(counted, ANSWER_MS, () => new Error('it took over two seconds'));
    } catch (error) {
      throw queueUnavailable(`Redis does not count ${this.#name}`, error);
    }
  }
}
