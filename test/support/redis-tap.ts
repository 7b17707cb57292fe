import { Redis } from 'ioredis';

/** Commands kept; older ones are dropped. */
const MAX_LINES = 200_000;

/** Everything that is sent to a Redis: jobs that come and go, messages, scripts with their arguments. */
export class RedisTap {
  readonly lines: string[] = [];
  readonly #own: Redis;
  readonly #monitor: Redis;

  private constructor(own: Redis, monitor: Redis) {
    this.#own = own;
    this.#monitor = monitor;
    monitor.on('monitor', (_time: string, command: readonly string[]) => {
      this.lines.push(command.join(' '));
      if (this.lines.length > MAX_LINES) this.lines.shift();
    });
  }

  static async open(url: string): Promise<RedisTap> {
    const own = new Redis(url, { maxRetriesPerRequest: 0 });
    return new RedisTap(own, await own.monitor());
  }

  close(): void {
    this.#monitor.disconnect();
    this.#own.disconnect();
  }
}

/** Every key of a Redis database with all it holds, one text each. */
export async function redisContents(url: string): Promise<string[]> {
  const redis = new Redis(url, { maxRetriesPerRequest: 0 });
  try {
    const contents: string[] = [];
    for await (const keys of redis.scanStream({ count: 1_000 })) {
      for (const key of keys as string[]) contents.push(`${key} ${await contentOf(redis, key)}`);
    }
    return contents;
  } finally {
    redis.disconnect();
  }
}

async function contentOf(redis: Redis, key: string): Promise<string> {
  const type = await redis.type(key);
  switch (type) {
    case 'string':
      return (await redis.get(key)) ?? '';
    case 'hash':
      return JSON.stringify(await redis.hgetall(key));
    case 'list':
      return JSON.stringify(await redis.lrange(key, 0, -1));
    case 'set':
      return JSON.stringify(await redis.smembers(key));
    case 'zset':
      return JSON.stringify(await redis.zrange(key, '0', '-1', 'WITHSCORES'));
    case 'stream':
      return JSON.stringify(await redis.xrange(key, '-', '+'));
    // Expired meanwhile.
    case 'none':
      return '';
    default:
      throw new Error(`a Redis key of type ${type}, which nobody looks into: ${key}`);
  }
}
