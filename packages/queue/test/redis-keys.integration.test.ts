import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { JobDisposition } from '@longshore/core';
import { describeWithRedis, waitFor } from '@longshore/testing';
import { Redis } from 'ioredis';
import { isPermanentKey } from '../src/connections/keys.ts';
import { newTaskIds, type Rig, redisRig } from './support/rig.ts';

describeWithRedis('what stays in Redis', () => {
  let rig: Rig;
  let redis: Redis;

  beforeAll(async () => {
    rig = await redisRig();
    redis = new Redis(rig.servers.redisUrl ?? '');
  });
  afterAll(async () => {
    redis.disconnect();
    await rig.drop();
  });

  it('is nothing but the permanent keys and what has a ttl, once all jobs are done', async () => {
    const { jobs, bus, createJobConsumer } = rig.open();
    await Promise.all([jobs.start(), bus.start()]);
    const subscription = await bus.subscribe('catalogue', () => {});
    const ids = newTaskIds(500);
    const delayedOnce = new Set<string>();
    let done = 0;
    const consumer = createJobConsumer({
      queue: 'work',
      concurrency: 8,
      leaseMs: 1_000,
      handler: async (taskIds): Promise<JobDisposition> => {
        const late = taskIds.filter(
          (taskId) => ids.indexOf(taskId) % 10 === 0 && !delayedOnce.has(taskId),
        );
        for (const taskId of late) delayedOnce.add(taskId);
        done += taskIds.length - late.length;
        return late.length > 0 ? { kind: 'again', delayMs: 100, tasks: late } : { kind: 'done' };
      },
    });
    await consumer.start();
    const few = ids.slice(0, 4);
    await jobs.add('other', few);
    await Promise.all(few.map((id) => jobs.remove('other', id)));
    await jobs.add('work', ids);
    await bus.publish('catalogue', { kind: 'catalogue-changed' });
    await waitFor(() => done === ids.length, { what: 'all jobs done' });
    await consumer.stop();
    await subscription.close();

    const keys = await redis.keys('*');
    const leaks: string[] = [];
    for (const key of keys) {
      if (!isPermanentKey(rig.prefix, key) && (await redis.ttl(key)) < 0) leaks.push(key);
    }
    expect(leaks).toEqual([]);
    expect(keys.filter((key) => isPermanentKey(rig.prefix, key)).length).toBeGreaterThan(0);
    expect(await redis.xlen(`${rig.prefix}:${rig.prefix}-work:events`)).toBeLessThan(500);
  });

  it('listens to a topic once, however many listeners it has', async () => {
    const { bus } = rig.open();
    await bus.start();
    const channel = `${rig.prefix}:sessions`;
    const count = async (): Promise<unknown> => (await redis.pubsub('NUMSUB', channel))[1];
    const subscriptions = await Promise.all(
      Array.from({ length: 3 }, () => bus.subscribe('sessions', () => {})),
    );
    expect(await count()).toBe(1);
    await subscriptions[0]?.close();
    await subscriptions[1]?.close();
    expect(await count()).toBe(1);
    await subscriptions[2]?.close();
    await waitFor(async () => (await count()) === 0, { what: 'the channel is left' });
  });
});
