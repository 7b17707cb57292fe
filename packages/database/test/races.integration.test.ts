import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type CancelOutcome, silentLogger, type TaskId } from '@longshore/core';
import { waitFor } from '@longshore/testing';
import { openDatabase } from '../src/index.ts';
import { lockRow, waitForLocked } from './fixtures/lock-row.ts';
import { asking, question, reply } from './fixtures/question-factory.ts';
import {
  accepted,
  claimed,
  claimTask,
  fenceOf,
  finishOf,
  LEASE_MS,
  loseLease,
  newPrincipalId,
  newTask,
  newWorkerId,
  RESULT,
} from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

describe('races', () => {
  /** As many processes as this, each with its own pool and its own groups. */
  const REPLICAS = 4;
  const ROUNDS = 20;

  let stores: TestStores;
  let replicas: ReturnType<typeof openDatabase>[];

  beforeAll(async () => {
    stores = await openTestStores();
    replicas = Array.from({ length: REPLICAS }, () =>
      openDatabase({ url: stores.url, log: silentLogger, poolSize: 4 }),
    );
    await Promise.all(replicas.map((replica) => replica.ping()));
  });

  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    await stores.drop();
  });

  const finish = (replica: (typeof replicas)[number], taskId: TaskId, attempt: number) =>
    replica.attemptStore.finish(finishOf(taskId, attempt));

  const countOf = <Value>(values: readonly Value[], wanted: Value): number =>
    values.filter((value) => value === wanted).length;

  it('lets exactly one of many concurrent claims win', async () => {
    const tasks = await Promise.all(Array.from({ length: ROUNDS }, () => accepted(stores)));
    const outcomes = await Promise.all(
      tasks.map(({ id }) =>
        Promise.all(
          replicas.flatMap(({ attemptStore }) => [1, 2].map(() => claimTask({ attemptStore }, id))),
        ),
      ),
    );
    for (const answers of outcomes) {
      const kinds = answers.map(({ kind }) => kind);
      expect(kinds.toSorted()).toEqual(['claimed', ...Array(2 * REPLICAS - 1).fill('not_yet')]);
    }
    for (const { id } of tasks) expect(await stores.eventsOf(id)).toEqual(['created', 'started']);
  });

  it('lets exactly one of many takeovers of a lost lease win, and counts one loss', async () => {
    const task = await accepted(stores);
    await claimed(stores, task.id);
    await loseLease(stores, task.id);
    const answers = await Promise.all(
      replicas.map(({ attemptStore }) => claimTask({ attemptStore }, task.id)),
    );
    expect(
      countOf(
        answers.map(({ kind }) => kind),
        'claimed',
      ),
    ).toBe(1);
    expect(await stores.sql('SELECT attempt, lost FROM tasks WHERE id = $1', [task.id])).toEqual([
      { attempt: 2, lost: 1 },
    ]);
  });

  it('ends a task once when it is finished and cancelled at the same time', async () => {
    const tasks = await Promise.all(Array.from({ length: ROUNDS }, () => accepted(stores)));
    await Promise.all(tasks.map(({ id }) => claimed(stores, id)));
    const [left, right] = replicas;
    if (left === undefined || right === undefined) throw new Error('two replicas');
    const ends = await Promise.all(
      tasks.map(({ id, principalId }, index) => {
        // Half of them one way round, half the other, so that both get to win.
        const finished = () => finish(left, id, 1);
        const cancelled = () => right.taskStore.cancel(id, principalId);
        if (index % 2 === 0) return Promise.all([finished(), cancelled()]);
        return Promise.all([cancelled(), finished()]).then(([c, f]): [boolean, CancelOutcome] => [
          f,
          c,
        ]);
      }),
    );
    for (const [index, [wasFinished, cancel]] of ends.entries()) {
      const { id, principalId } = tasks[index] ?? newTask();
      const state = wasFinished ? 'finished' : 'cancelled';
      expect(cancel).toMatchObject({
        kind: wasFinished ? 'already_terminal' : 'cancelled',
        task: { state },
      });
      const found = await stores.taskStore.findWithOutcome(id, principalId);
      expect(found?.task.state).toBe(state);
      expect(found?.outcome).toEqual(wasFinished ? RESULT : null);
      expect(await stores.eventsOf(id)).toEqual(['created', 'started', state]);
    }
  });

  it('lets exactly one of many concurrent cancels do it', async () => {
    const task = await accepted(stores);
    const kinds = await Promise.all(
      Array.from({ length: 5 * REPLICAS }, async (_, index) => {
        const replica = replicas[index % REPLICAS];
        return (await replica?.taskStore.cancel(task.id, task.principalId))?.kind;
      }),
    );
    expect(countOf(kinds, 'cancelled')).toBe(1);
    expect(countOf(kinds, 'already_terminal')).toBe(5 * REPLICAS - 1);
    expect(await stores.eventsOf(task.id)).toEqual(['created', 'cancelled']);
  });

  it('tells a worker that its task was cancelled while the heartbeat waited for the cancel', async () => {
    const [workerId, task] = [newWorkerId(), await accepted(stores)];
    await claimed(stores, task.id, workerId);
    const report = { taskId: task.id, attempt: 1, progress: null, statusMessage: null };
    const unlock = await lockRow(stores, 'tasks', task.id);
    const cancel = stores.taskStore.cancel(task.id, task.principalId);
    await waitForLocked(stores, 1);
    const beat = stores.attemptStore.heartbeat(workerId, LEASE_MS, [report]);
    await waitForLocked(stores, 2);
    await unlock();
    expect(await cancel).toMatchObject({ kind: 'cancelled', workerId });
    expect(await beat).toEqual({ held: new Set(), cancelled: new Set([task.id]) });
  });

  it('calls a task lost, not cancelled, that a later attempt had when it was cancelled', async () => {
    const [workerId, task] = [newWorkerId(), await accepted(stores)];
    await claimed(stores, task.id, workerId);
    await loseLease(stores, task.id);
    await claimed(stores, task.id);
    await stores.taskStore.cancel(task.id, task.principalId);
    const report = { taskId: task.id, attempt: 1, progress: null, statusMessage: null };
    expect(await stores.attemptStore.heartbeat(workerId, LEASE_MS, [report])).toEqual({
      held: new Set(),
      cancelled: new Set(),
    });
  });

  it('takes the outcome of one attempt when an old and a new one finish at the same time', async () => {
    const tasks = await Promise.all(Array.from({ length: ROUNDS }, () => accepted(stores)));
    await Promise.all(tasks.map(({ id }) => claimed(stores, id)));
    await Promise.all(tasks.map(({ id }) => loseLease(stores, id)));
    const [left, right] = replicas;
    if (left === undefined || right === undefined) throw new Error('two replicas');
    const outcomes = await Promise.all(
      tasks.map(async ({ id }) => {
        const old = finish(left, id, 1);
        const claim = await claimTask(right, id);
        const next =
          claim.kind === 'claimed' ? await finish(right, id, claim.claim.attempt) : false;
        return [await old, next];
      }),
    );
    for (const [old, next] of outcomes) expect([old, next].filter(Boolean)).toHaveLength(1);
  });

  it('numbers the events of a task in the order in which they happened', async () => {
    const task = await accepted(stores);
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await Promise.all(replicas.map(({ attemptStore }) => claimTask({ attemptStore }, task.id)));
      await Promise.all(
        replicas.map(({ attemptStore }) => attemptStore.release(fenceOf(task.id, attempt))),
      );
    }
    const events = await stores.sql<{ kind: string; attempt: number | null }>(
      'SELECT kind, attempt FROM task_events WHERE task_id = $1 ORDER BY id',
      [task.id],
    );
    const rounds = [1, 2, 3, 4, 5].flatMap((attempt) => [
      { kind: 'started', attempt },
      { kind: 'released', attempt },
    ]);
    expect(events).toEqual([{ kind: 'created', attempt: null }, ...rounds]);
  });
});

describe('the order of locks', () => {
  const PROCESSES = 4;
  const ROUNDS = 5;

  let stores: TestStores;

  beforeEach(async () => {
    stores = await openTestStores();
  });

  afterEach(async () => {
    await stores.drop();
  });

  it('gets heartbeats, claims, finishes and sweeps over the same tasks through without a deadlock', async () => {
    const tasks = await Promise.all(Array.from({ length: 200 }, () => accepted(stores)));
    const workerId = newWorkerId();
    await Promise.all(tasks.map(({ id }) => claimed(stores, id, workerId)));
    const shuffled = () => tasks.toSorted(() => Math.random() - 0.5).map(({ id }) => id);
    const processes = Array.from({ length: PROCESSES }, async () => {
      const database = openDatabase({ url: stores.url, log: silentLogger });
      const { attemptStore, maintenanceStore } = database;
      const beat = () =>
        attemptStore.heartbeat(
          workerId,
          LEASE_MS,
          shuffled().map((taskId) => ({ taskId, attempt: 1, progress: null, statusMessage: 'on' })),
        );
      for (let round = 0; round < ROUNDS; round += 1) {
        await Promise.all([
          beat(),
          beat(),
          ...shuffled().map((id) => attemptStore.claim(id, workerId, LEASE_MS)),
          ...shuffled()
            .slice(0, 10)
            .map((taskId) => attemptStore.finish(finishOf(taskId, 1))),
          maintenanceStore.unadmit(shuffled()),
          maintenanceStore.readmit(0, 100),
          maintenanceStore.failOverdue(3, 100),
        ]);
      }
      await database.close();
    });
    await Promise.all(processes);
    const doubles = await stores.sql(
      "SELECT task_id FROM task_events WHERE kind = 'finished' GROUP BY task_id HAVING count(*) > 1",
    );
    expect(doubles).toEqual([]);
    expect(await countDeadlocks()).toBe(0);
  });

  it('gets calls with the same idempotency keys through without a deadlock', async () => {
    const principalId = newPrincipalId();
    const keys = Array.from({ length: 200 }, (_, index) => `k${index}`);
    const processes = Array.from({ length: PROCESSES }, async () => {
      const database = openDatabase({ url: stores.url, log: silentLogger });
      for (let round = 0; round < ROUNDS; round += 1) {
        await Promise.all(
          keys
            .toSorted(() => Math.random() - 0.5)
            .map((key) => {
              const idempotency = { key: `${key}-${round}`, argumentsHash: '' };
              return database.taskStore.accept(newTask({ principalId, idempotency }));
            }),
        );
      }
      await database.close();
    });
    await Promise.all(processes);
    const rows = await stores.sql('SELECT FROM tasks WHERE principal_id = $1', [principalId]);
    expect(rows).toHaveLength(keys.length * ROUNDS);
    expect(await countDeadlocks()).toBe(0);
  });

  it('gets questions, answers and leases over the same rows through without a deadlock', async () => {
    // Asked in the reverse order of their keys, so that each index has an order of its own.
    const keys = Array.from({ length: 60 }, (_, index) => `q${100 - index}`);
    const { task } = await asking(stores, keys);
    const shuffled = () => keys.toSorted(() => Math.random() - 0.5);
    const processes = Array.from({ length: PROCESSES }, async () => {
      const database = openDatabase({ url: stores.url, log: silentLogger });
      const { attemptStore, inputStore } = database;
      const { id, principalId } = task;
      for (let round = 0; round < ROUNDS; round += 1) {
        const [stream, other] = [randomUUID(), randomUUID()];
        // A lease that has run out at once is there for everybody.
        const lease = (streamId: string) => inputStore.lease(id, principalId, streamId, -1);
        await Promise.all([
          ...[stream, other, stream, other].map(lease),
          inputStore.unlease(stream),
          inputStore.unlease(other),
          attemptStore.ask(
            fenceOf(id, 1),
            shuffled().map((key) => question(key)),
          ),
          attemptStore.timeOutInputs(fenceOf(id, 1), shuffled().slice(0, 1)),
          inputStore.answer(
            id,
            principalId,
            new Map(
              shuffled()
                .slice(0, 2)
                .map((key) => [key, reply('x')]),
            ),
          ),
        ]);
      }
      await database.close();
    });
    await Promise.all(processes);
    expect((await stores.attemptStore.readAnswers(task.id, keys)).size).toBeGreaterThan(0);
    expect(await countDeadlocks()).toBe(0);
  });

  /** Deadlocks are tried again, so they would pass unseen. Backends hand in their counts when they end. */
  async function countDeadlocks(): Promise<number> {
    await stores.close();
    const backends = async () =>
      stores.sql(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'longshore'",
      );
    await waitFor(async () => (await backends()).length === 0, { what: 'the backends to end' });
    const [row] = await stores.sql<{ deadlocks: string }>(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(row?.deadlocks);
  }
});
