import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { NewTask, Outcome, TaskId } from '@longshore/core';
import { lockRow } from './fixtures/lock-row.ts';
import {
  accepted,
  alter,
  claimed,
  failedOf,
  fenceOf,
  finishOf,
  LEASE_MS,
  loseLease,
  newSessionId,
  newTaskId,
  newWorkerId,
  RESULT,
} from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

let stores: TestStores;

beforeAll(async () => {
  stores = await openTestStores();
});
afterAll(() => stores.drop());
/** Maintenance works on all tasks there are, so each test starts with none. */
beforeEach(() => stores.empty());

describe('maintenance', () => {
  const accept = (changes: Partial<NewTask> = {}) => accepted(stores, changes);
  const waiting = (changes: Partial<NewTask> = {}) => accept({ enqueue: false, ...changes });
  const maintenance = () => stores.maintenanceStore;
  const admit = async (limit: number) => {
    const admission = await maintenance().admit('images', { depth: 1_000, most: 1_000, limit });
    return admission?.jobs ?? [];
  };
  const endedOf = ({ id, sessionId, toolName, queue }: NewTask) => {
    return { id, sessionId, workerId: null, toolName, queue };
  };
  const row = async (id: TaskId) =>
    (await stores.sql('SELECT * FROM tasks WHERE id = $1', [id]))[0];

  it('admits waiting tasks of one queue, oldest first, as many as asked', async () => {
    const tasks = [await waiting(), await waiting(), await waiting()];
    await waiting({ queue: 'text' });
    for (const [index, { id }] of tasks.entries()) {
      await alter(stores, id, `created_at = now() - interval '${10 - index} minutes'`);
    }
    expect(await admit(2)).toEqual([
      { taskId: tasks[0]?.id, queue: 'images' },
      { taskId: tasks[1]?.id, queue: 'images' },
    ]);
    expect(await admit(2)).toEqual([{ taskId: tasks[2]?.id, queue: 'images' }]);
    expect(await admit(2)).toEqual([]);
  });

  it('admits neither ended nor expired tasks', async () => {
    const cancelled = await waiting();
    await stores.taskStore.cancel(cancelled.id, cancelled.principalId);
    const expired = await waiting();
    await alter(stores, expired.id, 'expires_at = now()');
    await waiting({ outcome: RESULT });
    expect(await admit(10)).toEqual([]);
  });

  it('gives a waiting task to one of many relays', async () => {
    const tasks = await Promise.all(Array.from({ length: 40 }, () => waiting()));
    const admitted = await Promise.all(Array.from({ length: 8 }, () => admit(10)));
    const ids = admitted.flat().map(({ taskId }) => taskId);
    expect(new Set(ids).size).toBe(ids.length);
    const rest = await admit(100);
    expect([...ids, ...rest.map(({ taskId }) => taskId)].toSorted()).toEqual(
      tasks.map(({ id }) => id).toSorted(),
    );
  });

  it('puts tasks back into the backlog when their jobs could not be added', async () => {
    const [back, running] = [await waiting(), await waiting()];
    await admit(10);
    await claimed(stores, running.id);
    await maintenance().unadmit([running.id, back.id, newTaskId()]);
    await maintenance().unadmit([]);
    expect(await admit(10)).toEqual([{ taskId: back.id, queue: 'images' }]);
  });

  it('names each queue with a backlog once', async () => {
    expect(await maintenance().queuesWithBacklog()).toEqual([]);
    await Promise.all(['b', 'a', 'b', 'c'].map((queue) => waiting({ queue })));
    await accept({ queue: 'd' });
    await waiting({ queue: 'e', outcome: RESULT });
    expect(await maintenance().queuesWithBacklog()).toEqual(['a', 'b', 'c']);
  });

  it('readmits tasks that were enqueued too long ago, once per time', async () => {
    const [stale, fresh] = [await accept(), await accept()];
    await alter(stores, stale.id, "enqueued_at = now() - interval '61 s'");
    await alter(stores, fresh.id, "enqueued_at = now() - interval '59 s'");
    expect(await maintenance().readmit(60_000, 10)).toEqual([
      { taskId: stale.id, queue: 'images' },
    ]);
    expect(await maintenance().readmit(60_000, 10)).toEqual([]);
  });

  it('readmits what is due and held by nobody, and leaves the rest', async () => {
    const running = await accept();
    await claimed(stores, running.id);
    const lost = await accept();
    await claimed(stores, lost.id);
    await loseLease(stores, lost.id);
    const delayed = await accept();
    await claimed(stores, delayed.id);
    const failed = failedOf(delayed.id, 1, { error: 'e', retryInMs: 60_000 });
    await stores.attemptStore.retry(failed);
    const due = await accept();
    await claimed(stores, due.id);
    await stores.attemptStore.retry(failedOf(due.id, 1));
    const ended = await accept();
    await stores.taskStore.cancel(ended.id, ended.principalId);
    const expired = await accept();
    await alter(stores, expired.id, 'expires_at = now()');
    const late = await accept();
    await alter(stores, late.id, 'execution_deadline = now()');
    await waiting();
    const jobs = await maintenance().readmit(0, 10);
    expect(jobs.map(({ taskId }) => taskId).toSorted()).toEqual([lost.id, due.id].toSorted());
  });

  it('readmits at most as many as asked, longest waiting first', async () => {
    const tasks = [await accept(), await accept(), await accept()];
    for (const [index, { id }] of tasks.entries()) {
      await alter(stores, id, `enqueued_at = now() - interval '${index + 1} hours'`);
    }
    const jobs = await maintenance().readmit(60_000, 2);
    expect(jobs.map(({ taskId }) => taskId).toSorted()).toEqual(
      [tasks[1]?.id, tasks[2]?.id].toSorted(),
    );
  });

  it('fails a task past its execution deadline, running or not', async () => {
    const sessionId = newSessionId();
    const [idle, running, early] = [await accept(), await accept({ sessionId }), await accept()];
    const workerId = newWorkerId();
    await claimed(stores, running.id, workerId);
    for (const { id } of [idle, running]) await alter(stores, id, 'execution_deadline = now()');
    await alter(stores, early.id, "execution_deadline = now() + interval '1 minute'");
    const ended = await maintenance().failOverdue(3, 10);
    expect(ended).toHaveLength(2);
    const late = { requestMethod: 'tools/call', outcomeKind: 'error', isLost: false };
    expect(ended).toContainEqual({ ...endedOf(idle), ...late });
    expect(ended).toContainEqual({ ...endedOf(running), ...late, workerId });
    const found = await stores.taskStore.findWithOutcome(running.id, running.principalId);
    expect(found).toMatchObject({
      task: { state: 'finished', statusMessage: 'task exceeded its execution deadline' },
      outcome: {
        kind: 'error',
        error: {
          code: -32603,
          message: 'task exceeded its execution deadline',
          data: { code: 'TASK_DEADLINE' },
        },
      },
    });
    expect(await stores.eventsOf(running.id)).toEqual(['created', 'started', 'finished']);
    expect(await row(early.id)).toMatchObject({ state: 'working' });
    expect(await maintenance().failOverdue(3, 10)).toEqual([]);
  });

  const die = async (id: TaskId, times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) {
      await claimed(stores, id);
      await loseLease(stores, id);
    }
  };

  it('fails a task whose workers died as often as allowed, and not one time earlier', async () => {
    const [twice, thrice] = [await accept(), await accept()];
    await die(twice.id, 2);
    await die(thrice.id, 3);
    expect(await maintenance().failOverdue(3, 10)).toEqual([
      {
        ...endedOf(thrice),
        requestMethod: 'tools/call',
        outcomeKind: 'tool_error',
        isLost: true,
      },
    ]);
    const text = 'Gave up: the worker died 3 times while running this task.';
    const found = await stores.taskStore.findWithOutcome(thrice.id, thrice.principalId);
    expect(found).toMatchObject({
      task: { state: 'finished', outcomeKind: 'tool_error', statusMessage: text },
      outcome: {
        kind: 'result',
        isError: true,
        result: { content: [{ type: 'text', text }], isError: true },
      },
    });
    expect(await row(twice.id)).toMatchObject({ state: 'working' });
  });

  it('stops a task that was claimed once more after too many deaths', async () => {
    const task = await accept();
    await die(task.id, 3);
    const workerId = newWorkerId();
    await claimed(stores, task.id, workerId);
    expect(await maintenance().failOverdue(3, 10)).toEqual([
      // The claim has counted that the one before it was lost.
      {
        ...endedOf(task),
        workerId,
        requestMethod: 'tools/call',
        outcomeKind: 'tool_error',
        isLost: false,
      },
    ]);
    const report = { taskId: task.id, attempt: 4, progress: null, statusMessage: null };
    expect(await stores.attemptStore.heartbeat(workerId, LEASE_MS, [report])).toEqual({
      held: new Set(),
      cancelled: new Set(),
    });
  });

  it('allows no death at all with a limit of one', async () => {
    const [running, dead] = [await accept(), await accept()];
    await claimed(stores, running.id);
    await die(dead.id, 1);
    const ended = await maintenance().failOverdue(1, 10);
    expect(ended.map(({ id }) => id)).toEqual([dead.id]);
    const found = await stores.taskStore.find(dead.id, dead.principalId);
    expect(found?.statusMessage).toBe('Gave up: the worker died 1 time while running this task.');
  });

  it('holds neither failures nor drains against a task', async () => {
    const task = await accept();
    for (let round = 0; round < 3; round += 1) {
      const { attempt } = await claimed(stores, task.id);
      await stores.attemptStore.release(fenceOf(task.id, attempt));
      const next = await claimed(stores, task.id);
      const failed = failedOf(task.id, next.attempt, { error: 'e', retryInMs: 0 });
      await stores.attemptStore.retry(failed);
    }
    await die(task.id, 1);
    expect(await row(task.id)).toMatchObject({ attempt: 7, failures: 3, lost: 0 });
    expect(await maintenance().failOverdue(2, 10)).toEqual([]);
  });

  it('holds no claim against a task that a living worker was given and has not begun', async () => {
    const task = await accept();
    const id = newWorkerId();
    const announcement = { host: 'here', pid: 1, version: '0', queues: [], concurrency: 1 };
    await stores.catalogueStore.announce({
      ...announcement,
      ...{ id, leaseMs: LEASE_MS, tools: [], prompts: [], resources: [], cards: [] },
    });
    for (let round = 0; round < 3; round += 1) {
      await claimed(stores, task.id, id);
      await loseLease(stores, task.id);
      expect(await maintenance().failOverdue(1, 10)).toEqual([]);
    }
    expect(await row(task.id)).toMatchObject({ attempt: 3, lost: 0 });
    // Three quarters of a lease before its end: the last sign of life of a worker that died just after it.
    await stores.sql(
      "UPDATE workers SET heartbeat_at = now() - $1::int * interval '0.75 ms' WHERE id = $2",
      [LEASE_MS, id],
    );
    expect((await maintenance().failOverdue(1, 10)).map((ended) => ended.id)).toEqual([task.id]);
  });

  it('fails at most as many as asked', async () => {
    const tasks = await Promise.all([1, 2, 3].map(() => accept()));
    for (const { id } of tasks) await alter(stores, id, 'execution_deadline = now()');
    const deadly = await accept();
    await die(deadly.id, 2);
    const rounds = [];
    for (let round = 0; round < 3; round += 1) {
      rounds.push((await maintenance().failOverdue(2, 2)).length);
    }
    expect(rounds).toEqual([2, 2, 0]);
  });

  it('deletes expired tasks with all that belongs to them, and names the open ones', async () => {
    const finished = await accept();
    await claimed(stores, finished.id);
    const { attemptStore } = stores;
    await attemptStore.setCheckpoint(fenceOf(finished.id, 1), 'key', 1);
    await attemptStore.finish(finishOf(finished.id, 1));
    const running = await accept();
    const workerId = newWorkerId();
    await claimed(stores, running.id, workerId);
    const alive = await accept({ outcome: RESULT });
    for (const { id } of [finished, running]) await alter(stores, id, 'expires_at = now()');
    await alter(stores, alive.id, "expires_at = now() + interval '1 minute'");
    expect(await maintenance().deleteExpired(10)).toEqual({
      deleted: 2,
      open: [{ ...endedOf(running), workerId }],
    });
    for (const table of ['task_results', 'task_events', 'task_checkpoints']) {
      const left = await stores.sql(`SELECT DISTINCT task_id AS id FROM ${table}`);
      expect(left).toEqual(table === 'task_checkpoints' ? [] : [{ id: alive.id }]);
    }
    expect(await stores.sql('SELECT id FROM tasks')).toEqual([{ id: alive.id }]);
  });

  it('deletes expired tasks in bounded batches, several deleters sharing them', async () => {
    const tasks = await Promise.all(Array.from({ length: 30 }, () => accept({ outcome: RESULT })));
    await stores.sql('UPDATE tasks SET expires_at = now()');
    const batches = await Promise.all([1, 2, 3, 4].map(() => maintenance().deleteExpired(5)));
    const counts = batches.map(({ deleted }) => deleted);
    expect(Math.max(...counts)).toBeLessThanOrEqual(5);
    const rest = await maintenance().deleteExpired(100);
    expect(counts.reduce((sum, count) => sum + count, rest.deleted)).toBe(tasks.length);
    expect(await stores.sql('SELECT FROM task_events')).toEqual([]);
  });

  it.each([
    ['admitting', 'enqueued_at = NULL', () => admit(10)],
    [
      'readmitting',
      "enqueued_at = now() - interval '1 hour'",
      () => maintenance().readmit(60_000, 10),
    ],
    ['failing', 'execution_deadline = now()', () => maintenance().failOverdue(3, 10)],
    [
      'deleting',
      'expires_at = now()',
      async () => Array.from({ length: (await maintenance().deleteExpired(10)).deleted }),
    ],
  ])(
    '%s passes over a task that somebody else writes, without waiting',
    async (_name, set, sweep) => {
      const tasks = await Promise.all([1, 2].map(() => accept()));
      await stores.sql(`UPDATE tasks SET ${set}`);
      const unlock = await lockRow(stores, 'tasks', tasks[0]?.id ?? '');
      expect(await sweep()).toHaveLength(1);
      await unlock();
      expect(await sweep()).toHaveLength(1);
    },
  );
});

describe('retention', () => {
  const HOUR = 3_600_000;

  /** A task that logged, saved a checkpoint and ended `minutes` ago. */
  async function ended(minutes: number, outcome: Outcome = RESULT): Promise<NewTask> {
    const task = await accepted(stores);
    const { attempt } = await claimed(stores, task.id);
    await stores.attemptStore.appendLogs(fenceOf(task.id, attempt), [
      { level: 'info', logger: null, data: 'secret' },
    ]);
    await stores.attemptStore.setCheckpoint(fenceOf(task.id, attempt), 'place', 7);
    await stores.attemptStore.finish({ ...finishOf(task.id, attempt), outcome });
    await alter(stores, task.id, `finished_at = now() - interval '${minutes} minutes'`);
    return task;
  }

  const outcomeOf = async ({ id, principalId }: NewTask): Promise<Outcome | null> =>
    (await stores.taskStore.findWithOutcome(id, principalId))?.outcome ?? null;

  it('prunes histories of old ends, but for creation and end', async () => {
    const [old, young] = [await ended(61), await ended(59)];
    const running = await accepted(stores);
    await claimed(stores, running.id);
    await alter(stores, running.id, "created_at = now() - interval '1 day'");
    expect(await stores.maintenanceStore.pruneEvents(HOUR, 10)).toBe(1);
    expect(await stores.eventsOf(old.id)).toEqual(['created', 'finished']);
    expect(await stores.eventsOf(young.id)).toEqual(['created', 'started', 'log', 'finished']);
    expect(await stores.eventsOf(running.id)).toEqual(['created', 'started']);
    expect(await stores.sql('SELECT task_id FROM task_checkpoints')).toEqual([
      { task_id: young.id },
    ]);
    expect(await outcomeOf(old)).toEqual(RESULT);
    expect(await stores.maintenanceStore.pruneEvents(HOUR, 10)).toBe(0);
  });

  it('prunes results of old ends, and says so to whoever asks', async () => {
    const error: Outcome = { kind: 'error', error: { code: -1, message: 'secret' } };
    const [old, failed, young] = [await ended(61), await ended(61, error), await ended(59)];
    expect(await stores.maintenanceStore.pruneResults(HOUR, 10)).toBe(2);
    expect(await outcomeOf(young)).toEqual(RESULT);
    expect(await outcomeOf(old)).toMatchObject({
      kind: 'result',
      isError: true,
      result: { content: [{ text: 'The result of this task is no longer kept.' }] },
    });
    expect(await outcomeOf(failed)).toEqual({
      kind: 'error',
      error: { code: -32_603, message: 'The result of this task is no longer kept.' },
    });
    expect(await stores.taskStore.find(old.id, old.principalId)).toMatchObject({
      state: 'finished',
      outcomeKind: 'result',
    });
    expect(await stores.eventsOf(old.id)).toContain('log');
    expect(await stores.maintenanceStore.pruneResults(HOUR, 10)).toBe(0);
  });

  it('prunes both of one task, in any order, and the task is deleted as ever', async () => {
    const [first, second] = [await ended(61), await ended(61)];
    expect(await stores.maintenanceStore.pruneResults(HOUR, 1)).toBe(1);
    expect(await stores.maintenanceStore.pruneEvents(HOUR, 10)).toBe(2);
    expect(await stores.maintenanceStore.pruneResults(HOUR, 10)).toBe(1);
    for (const { id } of [first, second]) {
      expect(await stores.eventsOf(id)).toEqual(['created', 'finished']);
      await alter(stores, id, 'expires_at = now()');
    }
    expect(await stores.sql('SELECT FROM task_results')).toEqual([]);
    expect(await stores.maintenanceStore.deleteExpired(10)).toEqual({ deleted: 2, open: [] });
  });

  it('skips tasks that others hold, and waits for nobody', async () => {
    const [held, free] = [await ended(61), await ended(61)];
    const release = await lockRow(stores, 'tasks', held.id);
    expect(await stores.maintenanceStore.pruneEvents(HOUR, 10)).toBe(1);
    expect(await stores.eventsOf(free.id)).toEqual(['created', 'finished']);
    await release();
    expect(await stores.maintenanceStore.pruneEvents(HOUR, 10)).toBe(1);
  });
});
