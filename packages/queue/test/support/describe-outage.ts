import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { BusEvent, JobConsumer, JobDisposition, TaskId } from '@longshore/core';
import { waitFor } from '@longshore/testing';
import type { Messaging } from '../../src/open-messaging.ts';
import { newTaskId, newTaskIds, openAt, type Rig } from './rig.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** So that the tests need not wait for what patience the defaults have. */
const IMPATIENT = { answerMs: 1_500, readyMs: 3_000, pingMs: 1_000 };

const UNAVAILABLE = { code: 'QUEUE_UNAVAILABLE' };

/** What becomes of queue and bus while their server is away, and when it is back. */
export function describeOutage(name: string, makeRig: () => Promise<Rig>): void {
  describe(`${name}: the server goes away`, () => {
    let rig: Rig;
    let proxy: TcpProxy;
    /** Behind the proxy. */
    let cutOff: Messaging;
    /** Not affected. */
    let healthy: Messaging;
    let consumer: JobConsumer | null;

    beforeEach(async () => {
      rig = await makeRig();
      const { redisUrl, databaseUrl } = rig.servers;
      proxy = await startTcpProxy(redisUrl ?? databaseUrl);
      const servers =
        redisUrl === null
          ? { redisUrl: null, databaseUrl: proxy.url }
          : { redisUrl: proxy.url, databaseUrl };
      cutOff = openAt(servers, rig.prefix, { timeLimits: IMPATIENT });
      healthy = rig.open();
      consumer = null;
      await Promise.all([cutOff.jobs.start(), cutOff.bus.start()]);
      await Promise.all([healthy.jobs.start(), healthy.bus.start()]);
    });

    afterEach(async () => {
      await Promise.all([consumer?.stop(), cutOff.jobs.stop(), cutOff.bus.stop()]);
      await proxy.close();
      await rig.drop();
    });

    const waysToGo: [string, () => Promise<void> | void][] = [
      ['breaks its connections', () => proxy.cut()],
      ['falls silent', () => proxy.freeze()],
    ];

    const consume = async (seen: TaskId[]): Promise<JobConsumer> => {
      consumer = cutOff.createJobConsumer({
        queue: 'work',
        concurrency: 2,
        leaseMs: 1_000,
        stopTimeoutMs: 1_000,
        handler: async (taskIds): Promise<JobDisposition> => {
          seen.push(...taskIds);
          return { kind: 'done' };
        },
      });
      await consumer.start();
      return consumer;
    };

    it.each(waysToGo)(
      'refuses jobs in bounded time when it %s',
      async (_how, go) => {
        await cutOff.jobs.add('work', [newTaskId()]);
        await go();
        await expect(cutOff.jobs.add('work', [newTaskId()])).rejects.toMatchObject(UNAVAILABLE);
        await expect(cutOff.jobs.waitingCount('work')).rejects.toMatchObject(UNAVAILABLE);
        await expect(cutOff.jobs.waitingCount('other')).rejects.toMatchObject(UNAVAILABLE);
        await expect(cutOff.jobs.remove('work', newTaskId())).resolves.toBeUndefined();
      },
      30_000,
    );

    it.each(waysToGo)(
      'takes jobs again after it %s and came back',
      async (_how, go) => {
        await cutOff.jobs.add('work', [newTaskId()]);
        await go();
        await expect(cutOff.jobs.add('work', newTaskIds(700))).rejects.toMatchObject(UNAVAILABLE);
        await proxy.restore();
        const id = newTaskId();
        await waitFor(
          async () => {
            await cutOff.jobs.add('work', [id]);
            return true;
          },
          { what: 'adding works', timeoutMs: 25_000 },
        );
        expect(await healthy.jobs.waitingCount('work')).toBeGreaterThanOrEqual(2);
      },
      40_000,
    );

    it('is refused at start when nothing answers, and starts when something does', async () => {
      await Promise.all([cutOff.jobs.stop(), cutOff.bus.stop()]);
      await proxy.cut();
      await expect(cutOff.bus.start()).rejects.toMatchObject(UNAVAILABLE);
      await expect(cutOff.jobs.start()).rejects.toMatchObject(UNAVAILABLE);
      await proxy.restore();
      await cutOff.bus.start();
      await cutOff.jobs.start();
      await cutOff.jobs.add('work', [newTaskId()]);
    }, 40_000);

    it.each(waysToGo)(
      'lets a consumer go on after it %s and came back',
      async (_how, go) => {
        const seen: TaskId[] = [];
        await consume(seen);
        await healthy.jobs.add('work', [newTaskId()]);
        await waitFor(() => seen.length === 1, { what: 'the first job' });
        await go();
        const ids = newTaskIds(5);
        await healthy.jobs.add('work', ids);
        await proxy.restore();
        await waitFor(() => ids.every((id) => seen.includes(id)), {
          what: 'the other jobs',
          timeoutMs: 50_000,
        });
      },
      60_000,
    );

    it.each(waysToGo)(
      'lets a consumer stop after it %s',
      async (_how, go) => {
        const seen: TaskId[] = [];
        const stopping = await consume(seen);
        await healthy.jobs.add('work', [newTaskId()]);
        await waitFor(() => seen.length === 1, { what: 'the first job' });
        await go();
        await expect(stopping.stop()).resolves.toBeUndefined();
      },
      30_000,
    );

    it.each(waysToGo)(
      'never keeps a publisher waiting when it %s',
      async (_how, go) => {
        await go();
        const sent = Array.from({ length: 500 }, () =>
          cutOff.bus.publish('catalogue', { kind: 'catalogue-changed' }),
        );
        await Promise.all(sent);
        await expect(
          cutOff.bus.publish('catalogue', { kind: 'catalogue-changed' }),
        ).resolves.toBeUndefined();
      },
      30_000,
    );

    it.each(waysToGo)(
      'refuses subscribers in bounded time when it %s',
      async (_how, go) => {
        await go();
        await expect(cutOff.bus.subscribe('catalogue', () => {})).rejects.toMatchObject(
          UNAVAILABLE,
        );
      },
      30_000,
    );

    it.each(waysToGo)(
      'says resync to the listeners of both sides after it %s and came back',
      async (_how, go) => {
        const topic = `session:${randomUUID()}`;
        const here: BusEvent[] = [];
        const there: BusEvent[] = [];
        await cutOff.bus.subscribe(topic, (event) => here.push(event));
        await healthy.bus.subscribe(topic, (event) => there.push(event));
        await go();
        // Lost: the others can not know, unless they are told.
        await cutOff.bus.publish(topic, { kind: 'catalogue-changed' });
        await healthy.bus.publish(topic, { kind: 'catalogue-changed' });
        await proxy.restore();
        for (const events of [here, there]) {
          await waitFor(() => events.some(({ kind }) => kind === 'resync'), {
            what: 'resync',
            timeoutMs: 50_000,
          });
        }
        const seen = here.length;
        await waitFor(
          async () => {
            await cutOff.bus.publish(topic, { kind: 'catalogue-changed' });
            return here.length > seen;
          },
          { what: 'messages come through again' },
        );
      },
      60_000,
    );
  });
}
