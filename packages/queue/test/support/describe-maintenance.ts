import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type AuthBindingId,
  type BusEvent,
  type JobConsumer,
  type JobDisposition,
  LongshoreError,
  type NewTask,
  NO_ABILITIES,
  type PrincipalId,
  type SessionId,
  silentLogger,
  type TaskId,
  taskTopic,
  type WorkerId,
  workerTopic,
} from '@longshore/core';
import { type Database, openDatabase } from '@longshore/database';
import { waitFor } from '@longshore/testing';
import { createTestDatabase, type TestDatabase } from '@longshore/testing/servers';
import pg from 'pg';
import { Relay } from '../../src/maintenance/relay.ts';
import { Sweeper } from '../../src/maintenance/sweeper.ts';
import type { Messaging } from '../../src/open-messaging.ts';
import { newTaskId, type Rig } from './rig.ts';

const HOUR_MS = 3_600_000;

/** Relay and sweeper between the real table and a real queue. */
export function describeMaintenance(name: string, makeRig: () => Promise<Rig>): void {
  describe(`${name}: relay and sweeper`, () => {
    let testDatabase: TestDatabase;
    let database: Database;
    let tables: pg.Pool;
    let rig: Rig;
    let messaging: Messaging;
    let consumer: JobConsumer | null;

    beforeEach(async () => {
      testDatabase = await createTestDatabase();
      database = openDatabase({ url: testDatabase.url, log: silentLogger });
      tables = new pg.Pool({ connectionString: testDatabase.url, max: 2 });
      rig = await makeRig();
      messaging = rig.open();
      consumer = null;
      await Promise.all([messaging.jobs.start(), messaging.bus.start()]);
    });

    afterEach(async () => {
      await consumer?.stop();
      await rig.drop();
      await tables.end();
      await database.close();
      await testDatabase.drop();
    });

    const accept = async (changes: Partial<NewTask> = {}): Promise<NewTask> => {
      const task = newTask(changes);
      await database.taskStore.accept(task);
      return task;
    };

    const acceptMany = (count: number, changes: Partial<NewTask> = {}): Promise<NewTask[]> =>
      Promise.all(Array.from({ length: count }, () => accept(changes)));

    const newRelay = (windowJobs: number): Relay =>
      new Relay({
        store: database.maintenanceStore,
        jobs: messaging.jobs,
        log: silentLogger,
        windowJobs,
        batchSize: 7,
        intervalMs: 50,
      });

    const newSweeper = (): Sweeper =>
      new Sweeper({
        store: database.maintenanceStore,
        jobs: messaging.jobs,
        bus: messaging.bus,
        log: silentLogger,
        intervalMs: 200,
        staleMs: 500,
        batchSize: 5,
      });

    const finishEverything = async (): Promise<void> => {
      const workerId = newWorkerId();
      consumer = messaging.createJobConsumer({
        queue: 'work',
        concurrency: 4,
        leaseMs: 2_000,
        handler: async (taskIds): Promise<JobDisposition> => {
          const { attemptStore } = database;
          for (const taskId of taskIds) {
            const claim = await attemptStore.claim(taskId, workerId, 5_000);
            if (claim.kind === 'not_yet')
              await messaging.jobs.addLater('work', taskId, claim.retryInMs);
            if (claim.kind !== 'claimed') continue;
            await attemptStore.finish({
              taskId,
              attempt: claim.claim.attempt,
              workerId,
              outcome: { kind: 'result', isError: false, result: { content: [] } },
              progress: null,
              toolVersion: null,
              statusMessage: null,
            });
          }
          return { kind: 'done' };
        },
      });
      await consumer.start();
    };

    const openTasks = async (): Promise<number> => {
      const { rows } = await tables.query<{ open: number }>(
        'SELECT count(*)::int AS open FROM tasks WHERE finished_at IS NULL',
      );
      return rows[0]?.open ?? Number.NaN;
    };

    const allFinished = (): Promise<boolean> =>
      waitFor(async () => (await openTasks()) === 0, {
        what: 'all tasks finished',
        timeoutMs: 30_000,
      });

    it('fills the window from the backlog of every queue, and no further', async () => {
      await acceptMany(30, { enqueue: false });
      await acceptMany(3, { enqueue: false, queue: 'other' });
      const relay = newRelay(20);
      expect(await relay.runOnce()).toBe(23);
      expect(await messaging.jobs.waitingCount('work')).toBeGreaterThan(0);
      expect(await messaging.jobs.waitingCount('other')).toBe(3);
      const admitted = await tables.query(
        'SELECT queue, count(*)::int FROM tasks WHERE enqueued_at IS NOT NULL GROUP BY queue ORDER BY queue',
      );
      expect(admitted.rows).toEqual([
        { queue: 'other', count: 3 },
        { queue: 'work', count: 20 },
      ]);
      expect(await relay.runOnce()).toBe(0);
      const ended = await anyEnqueued(tables);
      await tables.query(
        "UPDATE tasks SET state = 'cancelled', finished_at = now() WHERE id = $1",
        [ended],
      );
      expect(await relay.runOnce()).toBe(1);
    });

    it('gives every task one job when several processes relay', async () => {
      const tasks = await acceptMany(100, { enqueue: false });
      const relays = Array.from({ length: 4 }, () => newRelay(1_000));
      let added = 0;
      // A relay leaves a queue alone that another one is filling.
      await waitFor(
        async () => {
          const counts = await Promise.all(relays.map((relay) => relay.runOnce()));
          added += counts.reduce((sum, count) => sum + count);
          return added >= 100;
        },
        { what: 'all jobs are added' },
      );
      expect(added).toBe(100);
      const seen: TaskId[] = [];
      consumer = messaging.createJobConsumer({
        queue: 'work',
        concurrency: 4,
        leaseMs: 2_000,
        handler: async (taskIds): Promise<JobDisposition> => {
          seen.push(...taskIds);
          return { kind: 'done' };
        },
      });
      await consumer.start();
      await waitFor(() => seen.length >= 100, { what: 'all tasks came' });
      expect(seen.sort()).toEqual(tasks.map(({ id }) => id).sort());
    });

    it('puts tasks back into the backlog when their jobs can not be added', async () => {
      await acceptMany(3, { enqueue: false });
      const broken = new Relay({
        store: database.maintenanceStore,
        jobs: {
          add: () => Promise.reject(new LongshoreError('QUEUE_UNAVAILABLE', 'planted')),
        },
        log: silentLogger,
      });
      await expect(broken.runOnce()).rejects.toThrow('1 queues not filled');
      expect(await database.maintenanceStore.queuesWithBacklog()).toEqual(['work']);
      expect(await newRelay(10).runOnce()).toBe(3);
    });

    it('gives tasks whose jobs vanished new ones', async () => {
      const tasks = await acceptMany(12);
      await messaging.jobs.add(
        'work',
        tasks.map(({ id }) => id),
      );
      await rig.forgetJobs();
      expect(await messaging.jobs.waitingCount('work')).toBe(0);
      const sweeper = newSweeper();
      await waitFor(
        async () => {
          await sweeper.runOnce();
          return (await messaging.jobs.waitingCount('work')) === 12;
        },
        { what: 'all jobs are back' },
      );
    });

    it('tells the waiting and the running side of a task past its deadline', async () => {
      const task = await accept({ deadlineMs: 1 });
      const workerId = newWorkerId();
      await tables.query(
        `UPDATE tasks SET claimed_by = $1, attempt = 1, started_at = now(),
           lease_expires_at = now() + interval '1 hour' WHERE id = $2`,
        [workerId, task.id],
      );
      const heard = { waiting: [] as BusEvent[], running: [] as BusEvent[] };
      await messaging.bus.subscribe(taskTopic(task), (event) => heard.waiting.push(event));
      await messaging.bus.subscribe(workerTopic(workerId), (event) => heard.running.push(event));
      const { failed } = await newSweeper().runOnce();
      expect(failed).toBe(1);
      await waitFor(() => heard.waiting.length > 0 && heard.running.length > 0, { what: 'both' });
      expect(heard).toEqual({
        waiting: [{ kind: 'changed', taskId: task.id }],
        running: [{ kind: 'cancel', taskId: task.id }],
      });
    });

    it('deletes all expired tasks in batches and tells who waits for an open one', async () => {
      const tasks = await acceptMany(12, { ttlMs: 1 });
      await acceptMany(2);
      const heard: BusEvent[] = [];
      const [first] = tasks;
      if (first === undefined) throw new Error('no task');
      await messaging.bus.subscribe(taskTopic(first), (event) => heard.push(event));
      const { deleted } = await newSweeper().runOnce();
      expect(deleted).toBe(12);
      expect(await openTasks()).toBe(2);
      await waitFor(() => heard.length > 0, { what: 'the news' });
      expect(heard).toEqual([{ kind: 'changed', taskId: first.id }]);
    });

    it('finishes every task although all jobs are lost again and again', async () => {
      const [relay, sweeper] = [newRelay(40), newSweeper()];
      await Promise.all([relay.start(), sweeper.start(), finishEverything()]);
      try {
        for (let round = 0; round < 4; round += 1) {
          const accepted = 60 * (round + 1);
          await acceptMany(60, { enqueue: round % 2 === 0 });
          relay.poke();
          await waitFor(async () => (await openTasks()) < accepted, {
            what: 'some tasks finished',
          });
          await rig.forgetJobs();
        }
        await allFinished();
      } finally {
        await Promise.all([relay.stop(), sweeper.stop()]);
      }
    }, 60_000);
  });
}

async function anyEnqueued(tables: pg.Pool): Promise<TaskId> {
  const { rows } = await tables.query<{ id: TaskId }>(
    `SELECT id FROM tasks WHERE queue = 'work' AND enqueued_at IS NOT NULL LIMIT 1`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('no task is enqueued');
  return row.id;
}

function newTask(changes: Partial<NewTask>): NewTask {
  return {
    id: newTaskId(),
    principalId: randomUUID() as string as PrincipalId,
    authBindingId: randomUUID() as string as AuthBindingId,
    sessionId: randomUUID() as string as SessionId,
    era: 'legacy',
    requestMethod: 'tools/call',
    abilities: NO_ABILITIES,
    logLevel: null,
    requestId: 1,
    listed: true,
    toolName: 'noop',
    toolFingerprint: null,
    arguments: {},
    progressToken: null,
    queue: 'work',
    maxAttempts: 3,
    timeoutMs: HOUR_MS,
    deadlineMs: HOUR_MS,
    ttlMs: HOUR_MS,
    enqueue: true,
    outcome: null,
    ...changes,
  };
}

function newWorkerId(): WorkerId {
  return randomUUID() as string as WorkerId;
}
