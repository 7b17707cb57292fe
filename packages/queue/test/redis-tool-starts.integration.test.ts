import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { silentLogger } from '@longshore/core';
import { describeWithRedis, waitFor } from '@longshore/testing';
import { createTestRedis, type TestRedis } from '@longshore/testing/servers';
import { describeService, describeToolStarts } from '@longshore/testing/suites';
import { Redis } from 'ioredis';
import { RedisToolStarts } from '../src/limits/redis-tool-starts.ts';

const RATE = { starts: 2, perMs: 60_000 };

describeWithRedis('starts of tools in Redis', () => {
  let server: TestRedis;
  let redis: Redis;
  const open: RedisToolStarts[] = [];

  beforeAll(async () => {
    server = await createTestRedis();
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    await Promise.all(open.map((starts) => starts.stop()));
    redis.disconnect();
    await server.drop();
  });

  async function started(url = server.url): Promise<RedisToolStarts> {
    const starts = new RedisToolStarts({ url, log: silentLogger });
    open.push(starts);
    await starts.start();
    return starts;
  }

  /** The first connection takes a moment. */
  async function ready(): Promise<RedisToolStarts> {
    const starts = await started();
    await waitFor(
      () =>
        starts.take('warm', RATE).then(
          () => true,
          () => false,
        ),
      { what: 'it counts' },
    );
    return starts;
  }

  describeToolStarts('Redis', async () => [await ready(), await ready()]);

  it('leaves no key without a ttl, also when the server forgets everything in between', async () => {
    const starts = await ready();
    await starts.take('forgotten', RATE);
    await redis.flushdb();
    await redis.script('FLUSH');
    expect(await starts.take('forgotten', RATE)).toBe(0);
    const keys = await redis.keys('*');
    expect(keys).toEqual(['longshore:starts:forgotten']);
    const ttlMs = await redis.pttl(keys[0] ?? '');
    expect(ttlMs).toBeGreaterThan(0);
    expect(ttlMs).toBeLessThanOrEqual(60_000);
  });

  it('fails at once without a server, and lets a process start all the same', async () => {
    const starts = await started('redis://127.0.0.1:1');
    await expect(starts.take('any', RATE)).rejects.toMatchObject({ code: 'QUEUE_UNAVAILABLE' });
  });

  describeService(
    'RedisToolStarts',
    () => new RedisToolStarts({ url: server.url, log: silentLogger }),
  );
});
