import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JobConsumer, JobConsumerOptions, JobDisposition, TaskId } from '@longshore/core';
import { waitFor } from '@longshore/testing';
import { spawnProcess } from '@longshore/testing/processes';
import { describeService } from '@longshore/testing/suites';
import type { Messaging } from '../../src/open-messaging.ts';
import { newTaskId, newTaskIds, type Rig } from './rig.ts';

const CONSUMER_PROCESS = path.join(import.meta.dirname, '..', 'fixtures', 'consumer-process.js');

const DONE: JobDisposition = { kind: 'done' };

/** What every job queue does, on whatever servers. */
export function describeJobQueue(name: string, makeRig: () => Promise<Rig>): void {
  describe(`${name}: job queue`, () => {
    let rig: Rig;
    let messaging: Messaging;
    let consumers: JobConsumer[];

    beforeEach(async () => {
      rig = await makeRig();
      messaging = rig.open();
      consumers = [];
      await messaging.jobs.start();
    });

    afterEach(async () => {
      await Promise.all(consumers.map((consumer) => consumer.stop()));
      await rig.drop();
    });

    const consume = async (
      handler: JobConsumerOptions['handler'],
      options: Partial<JobConsumerOptions> = {},
    ): Promise<JobConsumer> => {
      const consumer = messaging.createJobConsumer({
        queue: 'work',
        concurrency: 8,
        leaseMs: 5_000,
        handler,
        ...options,
      });
      consumers.push(consumer);
      await consumer.start();
      return consumer;
    };

    const waiting = (count: number): Promise<boolean> =>
      waitFor(async () => (await messaging.jobs.waitingCount('work')) === count, {
        what: `${count} jobs wait`,
      });

    it('gives every job to one of several consumers, once', async () => {
      const ids = newTaskIds(300);
      const seen: TaskId[] = [];
      const note = async (taskIds: readonly TaskId[]): Promise<JobDisposition> => {
        seen.push(...taskIds);
        return DONE;
      };
      await consume(note);
      await consume(note);
      await Promise.all(ids.map((id) => messaging.jobs.add('work', [id])));
      await waitFor(() => seen.length >= ids.length, { what: 'all jobs handled' });
      await waiting(0);
      expect(seen.sort()).toEqual([...ids].sort());
    });

    it('adds a job once, however often it is added', async () => {
      const [first, second] = [newTaskId(), newTaskId()];
      await Promise.all([
        messaging.jobs.add('work', [first, first]),
        messaging.jobs.add('work', [second, first]),
      ]);
      await messaging.jobs.add('work', [first]);
      await rig.open().jobs.start();
      expect(await messaging.jobs.waitingCount('work')).toBe(2);
    });

    it('adds more tasks at once than fit into a command, in fewer jobs', async () => {
      const ids = newTaskIds(1_234);
      await messaging.jobs.add('work', ids);
      expect(await messaging.jobs.waitingCount('work')).toBeLessThan(30);
      const seen: TaskId[] = [];
      await consume(async (taskIds) => {
        seen.push(...taskIds);
        return DONE;
      });
      await waitFor(() => seen.length >= ids.length, { what: 'all tasks handled' });
      await waiting(0);
      expect(seen.sort()).toEqual([...ids].sort());
    });

    it('shares what is added at once between consumers', async () => {
      const [here, there]: TaskId[][] = [[], []];
      let finish = (): void => {};
      const both = new Promise<void>((resolve) => {
        finish = resolve;
      });
      for (const seen of [here, there]) {
        await consume(
          async (taskIds) => {
            seen?.push(...taskIds);
            await both;
            return DONE;
          },
          { concurrency: 1 },
        );
      }
      await messaging.jobs.add('work', newTaskIds(32));
      await waitFor(() => here?.length === 8 && there?.length === 8, { what: 'both have some' });
      finish();
      await waiting(0);
    });

    it.each(['again', 'pass_on'] as const)('keeps of a job the tasks of %s only', async (kind) => {
      const ids = newTaskIds(8);
      const seen: TaskId[][] = [];
      await consume(async (taskIds) => {
        seen.push([...taskIds]);
        if (taskIds.length === 1) return DONE;
        const tasks = taskIds.slice(1);
        return kind === 'again' ? { kind, delayMs: 50, tasks } : { kind, tasks };
      });
      await messaging.jobs.add('work', ids);
      await waitFor(() => seen.length === 8, { what: 'all tasks handled' });
      await waiting(0);
      const lengths = seen.map((taskIds) => taskIds.length);
      expect(lengths.toSorted()).toEqual([1, 1, 1, 1, 2, 2, 2, 2]);
      const last = seen.filter((taskIds) => taskIds.length === 1).flat();
      expect(last.sort()).toEqual(ids.filter((_id, index) => index % 2 === 1).sort());
    });

    it('adds a job that comes later, for a task that has one here', async () => {
      const id = newTaskId();
      const calls: number[] = [];
      await consume(async () => {
        calls.push(performance.now());
        if (calls.length === 1) await messaging.jobs.addLater('work', id, 300);
        return DONE;
      });
      await messaging.jobs.add('work', [id]);
      await waitFor(() => calls.length === 2, { what: 'the second run' });
      const [first = 0, second = 0] = calls;
      expect(second - first).toBeGreaterThan(290);
    });

    it('does not start a running job again when it is added again', async () => {
      const id = newTaskId();
      let calls = 0;
      let finish: (disposition: JobDisposition) => void = () => {};
      await consume(() => {
        calls += 1;
        return new Promise((resolve) => {
          finish = resolve;
        });
      });
      await messaging.jobs.add('work', [id]);
      await waitFor(() => calls === 1, { what: 'the job runs' });
      await messaging.jobs.add('work', [id]);
      expect(await messaging.jobs.waitingCount('work')).toBe(0);
      finish(DONE);
      const marker = newTaskId();
      await messaging.jobs.add('work', [marker]);
      await waitFor(() => calls === 2, { what: 'the next job runs' });
      finish(DONE);
      expect(calls).toBe(2);
    });

    it('takes the id of a finished job again', async () => {
      const id = newTaskId();
      let calls = 0;
      await consume(async () => {
        calls += 1;
        return DONE;
      });
      await messaging.jobs.add('work', [id]);
      await waitFor(() => calls === 1, { what: 'the first run' });
      await waitFor(
        async () => {
          await messaging.jobs.add('work', [id]);
          // A machine that is busy elsewhere may run it twice before the adding is answered.
          return calls >= 2;
        },
        { what: 'the second run' },
      );
    });

    it('keeps queues apart', async () => {
      const seen: TaskId[] = [];
      const [here, there] = [newTaskId(), newTaskId()];
      await messaging.jobs.add('elsewhere', [there]);
      await messaging.jobs.add('work', [here]);
      await consume(async (taskIds) => {
        seen.push(...taskIds);
        return DONE;
      });
      await waiting(0);
      await waitFor(() => seen.length > 0, { what: 'a job' });
      expect(seen).toEqual([here]);
      expect(await messaging.jobs.waitingCount('elsewhere')).toBe(1);
    });

    it('brings a job back when its handler says again, and not before', async () => {
      const calls: number[] = [];
      await consume(async () => {
        calls.push(performance.now());
        return calls.length === 1 ? { kind: 'again', delayMs: 700 } : DONE;
      });
      await messaging.jobs.add('work', [newTaskId()]);
      await waiting(1);
      await waitFor(() => calls.length === 2, { what: 'the second run' });
      const [first = 0, second = 0] = calls;
      // The server's clock and ours may be cut to milliseconds differently.
      expect(second - first).toBeGreaterThan(690);
      await waiting(0);
    });

    it('brings a job back whose handler threw', async () => {
      let calls = 0;
      await consume(async () => {
        calls += 1;
        if (calls === 1) throw new Error('planted');
        return DONE;
      });
      await messaging.jobs.add('work', [newTaskId()]);
      await waitFor(() => calls === 2, { what: 'the second run' });
    });

    it('runs no more handlers at once than asked for', async () => {
      let running = 0;
      let most = 0;
      let handled = 0;
      for (const id of newTaskIds(100)) await messaging.jobs.add('work', [id]);
      await consume(
        async (taskIds) => {
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => setImmediate(resolve));
          running -= 1;
          handled += taskIds.length;
          return DONE;
        },
        { concurrency: 3 },
      );
      await waitFor(() => handled === 100, { what: 'all jobs handled' });
      expect(most).toBe(3);
    });

    it('renews the lease of a job for as long as its handler runs', async () => {
      let calls = 0;
      let finish: (disposition: JobDisposition) => void = () => {};
      const handler = (): Promise<JobDisposition> => {
        calls += 1;
        return new Promise((resolve) => {
          finish = resolve;
        });
      };
      await consume(handler, { leaseMs: 600 });
      await consume(handler, { leaseMs: 600 });
      await messaging.jobs.add('work', [newTaskId()]);
      await waitFor(() => calls > 0, { what: 'the job runs' });
      // Only time can tell: four leases go by.
      await new Promise((resolve) => setTimeout(resolve, 2_400));
      finish(DONE);
      expect(calls).toBe(1);
    });

    it('stops when its running handlers are through, and takes no new jobs', async () => {
      const events: string[] = [];
      let finish: (disposition: JobDisposition) => void = () => {};
      const consumer = await consume(
        () => {
          events.push('started');
          return new Promise((resolve) => {
            finish = resolve;
          });
        },
        { concurrency: 1 },
      );
      await messaging.jobs.add('work', newTaskIds(2));
      await waitFor(() => events.length === 1, { what: 'the first job runs' });
      const stopped = consumer.stop().then(() => events.push('stopped'));
      await messaging.jobs.add('work', [newTaskId()]);
      events.push('finished');
      finish(DONE);
      await stopped;
      expect(events).toEqual(['started', 'finished', 'stopped']);
      expect(await messaging.jobs.waitingCount('work')).toBe(2);
    });

    it('lets a job leave, and takes it again as soon as it has left', async () => {
      const id = newTaskId();
      let runs = 0;
      let left = 0;
      await consume(async () => {
        runs += 1;
        if (runs > 1) return DONE;
        return {
          kind: 'leave',
          left: async () => {
            left = await messaging.jobs.waitingCount('work');
            await messaging.jobs.add('work', [id]);
          },
        };
      });
      await messaging.jobs.add('work', [id]);
      await waitFor(() => runs === 2, { what: 'the job runs again' });
      expect(left).toBe(0);
      await waiting(0);
    });

    it('passes a job on to a consumer that is free', async () => {
      const id = newTaskId();
      const passed: number[] = [];
      await consume(async () => {
        passed.push(performance.now());
        return { kind: 'pass_on' };
      });
      await messaging.jobs.add('work', [id]);
      await waitFor(() => passed.length >= 2, { what: 'it comes back while nobody else is there' });
      let taken = 0;
      await consume(async () => {
        taken += 1;
        return DONE;
      });
      await waitFor(() => taken === 1, { what: 'the other consumer took it' });
      await waiting(0);
      expect(taken).toBe(1);
    });

    it('leaves a handler behind that does not end, and gives its job to another consumer', async () => {
      const id = newTaskId();
      let started = false;
      const consumer = await consume(
        () => {
          started = true;
          return new Promise(() => {});
        },
        { leaseMs: 1_000, stopTimeoutMs: 200 },
      );
      await messaging.jobs.add('work', [id]);
      await waitFor(() => started, { what: 'the job runs' });
      await consumer.stop();
      const seen: TaskId[] = [];
      await consume(
        async (taskIds) => {
          seen.push(...taskIds);
          return DONE;
        },
        { leaseMs: 1_000 },
      );
      await waitFor(() => seen.length === 1, { what: 'the other consumer has the job' });
      expect(seen).toEqual([id]);
    });

    it('removes a job that waits, and shrugs at one that does not', async () => {
      const [gone, kept] = [newTaskId(), newTaskId()];
      await messaging.jobs.add('work', [gone, kept]);
      await messaging.jobs.remove('work', gone);
      await messaging.jobs.remove('work', newTaskId());
      expect(await messaging.jobs.waitingCount('work')).toBe(1);
    });

    it('stores nothing of a job but the ids of its tasks', async () => {
      const [id, ...many] = [newTaskId(), ...newTaskIds(5)] as [TaskId, ...TaskId[]];
      await messaging.jobs.add('work', [id]);
      expect(await rig.storedJob('work', id)).toMatchObject({ name: 'task', data: '{}' });
      await messaging.jobs.add('work', many);
      const [first, second] = many;
      // Of those that BullMQ numbers itself.
      const numbered = await Promise.all(['1', '2'].map((jobId) => rig.storedJob('work', jobId)));
      expect(numbered.find(({ name }) => name !== undefined)).toMatchObject({
        name: 'tasks',
        data: expect.stringMatching(new RegExp(`^{"ids": ?\\["${first}", ?"${second}"\\]}$`)),
      });
    });

    it('gives the jobs of a killed process to another consumer', async () => {
      const ids = newTaskIds(2);
      await messaging.jobs.add('work', ids);
      const victim = await spawnProcess(
        process.execPath,
        [CONSUMER_PROCESS, JSON.stringify({ ...rig.servers, prefix: rig.prefix }), 'work', '1000'],
        { ready: /^ready/ },
      );
      for (const id of ids) await victim.waitForLine(new RegExp(`took ${id}`));
      await victim.kill('SIGKILL');
      const seen: TaskId[] = [];
      await consume(
        async (taskIds) => {
          seen.push(...taskIds);
          return DONE;
        },
        { leaseMs: 1_000 },
      );
      await waitFor(() => seen.length === 2, { what: 'both jobs run here' });
      expect(seen.sort()).toEqual([...ids].sort());
    }, 30_000);

    it('lets a process end by itself once its consumer stopped', async () => {
      const process_ = await spawnProcess(
        process.execPath,
        [CONSUMER_PROCESS, JSON.stringify({ ...rig.servers, prefix: rig.prefix }), 'work', '1000'],
        { ready: /^ready/ },
      );
      expect(await process_.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    });

    it('refuses jobs when it is not started', async () => {
      const other = rig.open();
      await expect(other.jobs.add('work', [newTaskId()])).rejects.toMatchObject({
        code: 'QUEUE_UNAVAILABLE',
      });
    });
  });

  describe(name, () => {
    let rig: Rig;

    beforeEach(async () => {
      rig = await makeRig();
    });
    afterEach(() => rig.drop());

    it('can be started by many processes at once, on servers that never saw one', async () => {
      const many = Array.from({ length: 20 }, () => rig.open());
      await Promise.all(many.map(({ jobs }) => jobs.start()));
      await Promise.all(many.map(({ jobs }) => jobs.add('work', [newTaskId()])));
      expect(await many[0]?.jobs.waitingCount('work')).toBe(20);
    });

    describeService('job queue', () => rig.open().jobs);
    describeService('job consumer', () =>
      rig.open().createJobConsumer({
        queue: 'work',
        concurrency: 2,
        leaseMs: 5_000,
        handler: async () => DONE,
      }),
    );
  });
}
