import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type PrincipalId, silentLogger } from '@longshore/core';
import { describeWithRedis, waitFor } from '@longshore/testing';
import { createTestRedis, type TestRedis } from '@longshore/testing/servers';
import { describeService } from '@longshore/testing/suites';
import { Redis } from 'ioredis';
import { RedisRequestCounts } from '../src/limits/redis-request-counts.ts';

const [ADA, BOB] = ['ada' as PrincipalId, 'bob' as PrincipalId];

describeWithRedis('request counts in Redis', () => {
  let server: TestRedis;
  let redis: Redis;
  const open: RedisRequestCounts[] = [];

  beforeAll(async () => {
    server = await createTestRedis();
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    await Promise.all(open.map((counts) => counts.stop()));
    redis.disconnect();
    await server.drop();
  });

  async function started(url = server.url): Promise<RedisRequestCounts> {
    const counts = new RedisRequestCounts({ url, log: silentLogger });
    open.push(counts);
    await counts.start();
    return counts;
  }

  /** The first connection takes a moment. */
  async function ready(): Promise<RedisRequestCounts> {
    const counts = await started();
    await waitFor(() => counts.add(new Map()).then(() => true), { what: 'it is connected' });
    await waitFor(
      () =>
        counts.add(new Map([['warm' as PrincipalId, 1]])).then(
          () => true,
          () => false,
        ),
      { what: 'it counts' },
    );
    return counts;
  }

  it('adds up what several processes count, by principal', async () => {
    const [left, right] = [await ready(), await ready()];
    await Promise.all([
      left.add(new Map([[ADA, 3]])),
      right.add(
        new Map([
          [ADA, 4],
          [BOB, 1],
        ]),
      ),
    ]);
    const windows = await left.add(
      new Map([
        [ADA, 1],
        [BOB, 1],
      ]),
    );
    expect(windows.get(ADA)?.requests).toBe(8);
    expect(windows.get(BOB)?.requests).toBe(2);
    const { endsInMs = 0 } = windows.get(ADA) ?? {};
    expect(endsInMs).toBeGreaterThan(0);
    expect(endsInMs).toBeLessThanOrEqual(60_000);
  });

  it('leaves no key without a ttl, also when the server forgets everything in between', async () => {
    const counts = await ready();
    await counts.add(new Map([[ADA, 1]]));
    await redis.flushdb();
    await redis.script('FLUSH');
    expect((await counts.add(new Map([[ADA, 1]]))).get(ADA)?.requests).toBe(1);
    const keys = await redis.keys('*');
    expect(keys).toEqual(['longshore:requests:ada']);
    expect(await redis.pttl(keys[0] ?? '')).toBeGreaterThan(0);
  });

  it('fails at once without a server, and lets a process start all the same', async () => {
    const counts = await started('redis://127.0.0.1:1');
    await expect(counts.add(new Map([[ADA, 1]]))).rejects.toMatchObject({
      code: 'QUEUE_UNAVAILABLE',
    });
  });

  describeService(
    'RedisRequestCounts',
    () => new RedisRequestCounts({ url: server.url, log: silentLogger }),
  );
});
