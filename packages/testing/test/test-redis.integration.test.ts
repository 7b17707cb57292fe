import { afterEach, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { describeWithRedis, testRedisUrl } from '../src/index.ts';
import { createTestRedis, type TestRedis } from '../src/servers/index.ts';

describeWithRedis('createTestRedis', () => {
  const open: TestRedis[] = [];

  afterEach(async () => {
    for (const redis of open.splice(0)) await redis.drop();
  });

  async function make(): Promise<TestRedis> {
    const redis = await createTestRedis();
    open.push(redis);
    return redis;
  }

  async function using<T>(url: string, use: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(url);
    try {
      return await use(redis);
    } finally {
      redis.disconnect();
    }
  }

  it('gives each caller an empty database of its own', async () => {
    const [a, b, c] = await Promise.all([make(), make(), make()]);
    expect(new Set([a.url, b.url, c.url]).size).toBe(3);
    await using(a.url, (redis) => redis.set('key', 'value'));
    for (const { url } of [b, c]) expect(await using(url, (redis) => redis.dbsize())).toBe(0);
  });

  it('deletes its keys on drop, which may be called twice', async () => {
    const redis = await make();
    await using(redis.url, (own) => own.set('key', 'value'));
    await redis.drop();
    await redis.drop();
    expect(await using(redis.url, (own) => own.exists('key'))).toBe(0);
  });

  it('keeps off databases with keys that no test run put there', async () => {
    const taken = await make();
    const number = new URL(taken.url).pathname.slice(1);
    const claim = `longshore-test:database:${number}`;
    await using(taken.url, (redis) => redis.set('precious', 'value'));
    const holder = await using(testRedisUrl(), (redis) => redis.getdel(claim));
    try {
      const other = await make();
      expect(other.url).not.toBe(taken.url);
      expect(await using(taken.url, (redis) => redis.get('precious'))).toBe('value');
    } finally {
      await using(testRedisUrl(), (redis) => redis.set(claim, holder ?? ''));
    }
  });

  it('takes over what a dead test run left', async () => {
    const first = await make();
    const number = new URL(first.url).pathname.slice(1);
    const claim = `longshore-test:database:${number}`;
    await using(first.url, (redis) => redis.set('rubbish', 'value'));
    await using(testRedisUrl(), async (redis) => {
      const holder: unknown = JSON.parse((await redis.get(claim)) ?? '');
      await redis.set(claim, JSON.stringify({ ...Object(holder), pid: 999_999_999 }));
    });
    const second = await make();
    expect(await using(second.url, (redis) => redis.dbsize())).toBe(0);
    expect(await using(first.url, (redis) => redis.exists('rubbish'))).toBe(0);
  });
});
