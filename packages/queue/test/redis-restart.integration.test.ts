import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { BusEvent, JobConsumer, JobDisposition, TaskId } from '@longshore/core';
import { freePort } from '@longshore/embedded';
import { describeWithRedis, waitFor } from '@longshore/testing';
import { type SpawnedProcess, spawnProcess } from '@longshore/testing/processes';
import { Redis } from 'ioredis';
import type { Messaging } from '../src/open-messaging.ts';
import { newTaskId, newTaskIds, openAt } from './support/rig.ts';

// A server of its own, because it is emptied and restarted.
describeWithRedis('Redis forgets everything', () => {
  let port: number;
  let server: SpawnedProcess;
  let messaging: Messaging;
  let consumer: JobConsumer;
  let seen: TaskId[];
  let decide: () => Promise<JobDisposition>;

  beforeEach(async () => {
    port = await freePort();
    server = await startRedis(port);
    const redisUrl = `redis://127.0.0.1:${port}`;
    messaging = openAt({ redisUrl, databaseUrl: 'postgresql://127.0.0.1:1/none' }, 'longshore');
    seen = [];
    decide = async () => ({ kind: 'done' });
    consumer = messaging.createJobConsumer({
      queue: 'work',
      concurrency: 4,
      leaseMs: 2_000,
      handler: (taskIds) => {
        seen.push(...taskIds);
        return decide();
      },
    });
    await Promise.all([messaging.jobs.start(), messaging.bus.start(), consumer.start()]);
  });

  afterEach(async () => {
    await Promise.all([consumer.stop(), messaging.jobs.stop(), messaging.bus.stop()]);
    await server.kill('SIGKILL');
  });

  const handled = async (ids: readonly TaskId[]): Promise<void> => {
    await waitFor(() => ids.every((id) => seen.includes(id)), {
      what: 'the jobs are handled',
      timeoutMs: 20_000,
    });
  };

  /** As the relay does it: again and again until it works. */
  const addUntilTaken = (ids: readonly TaskId[]): Promise<boolean> =>
    waitFor(
      async () => {
        await messaging.jobs.add('work', ids);
        return true;
      },
      { what: 'adding works', timeoutMs: 20_000 },
    );

  it('goes on after the server was killed and started anew, without data and scripts', async () => {
    const [before, after] = [newTaskIds(3), newTaskIds(700)];
    await messaging.jobs.add('work', before);
    await handled(before);
    await server.kill('SIGKILL');
    await expect(messaging.jobs.add('work', after)).rejects.toMatchObject({
      code: 'QUEUE_UNAVAILABLE',
    });
    server = await startRedis(port);
    await addUntilTaken(after);
    await handled(after);
  }, 60_000);

  it('says resync after the server was started anew', async () => {
    const events: BusEvent[] = [];
    await messaging.bus.subscribe('catalogue', (event) => events.push(event));
    await server.kill('SIGKILL');
    server = await startRedis(port);
    await waitFor(() => events.length === 1, { what: 'resync' });
    expect(events).toEqual([{ kind: 'resync' }]);
  }, 60_000);

  it('takes jobs again after FLUSHALL, also those that were running', async () => {
    const id = newTaskId();
    let finish: (disposition: JobDisposition) => void = () => {};
    decide = () =>
      new Promise((resolve) => {
        finish = resolve;
      });
    await messaging.jobs.add('work', [id]);
    await handled([id]);
    const redis = new Redis(port);
    await redis.flushall();
    redis.disconnect();
    finish({ kind: 'done' });
    decide = async () => ({ kind: 'done' });
    const ids = [id, ...newTaskIds(700)];
    seen = [];
    await messaging.jobs.add('work', ids);
    await handled(ids);
  }, 60_000);
});

function startRedis(port: number): Promise<SpawnedProcess> {
  return spawnProcess(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    { ready: /Ready to accept connections/ },
  );
}
