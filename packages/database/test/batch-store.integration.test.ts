import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BatchId, EndedTask, NewChild, NewChunks, TaskId } from '@longshore/core';
import { NO_ABILITIES, silentLogger } from '@longshore/core';
import pg from 'pg';
import { createPool } from '../src/connection/connection-pool.ts';
import { PoolRunner } from '../src/connection/pool-runner.ts';
import type { SqlRunner } from '../src/connection/sql-runner.ts';
import { PostgresBatchStore } from '../src/stores/postgres-batch-store.ts';
import { lockRow, waitForLocked } from './fixtures/lock-row.ts';
import {
  accepted,
  alter,
  CHUNK_POLICY,
  claimed,
  claimTask,
  fenceOf,
  finishOf,
  LEASE_MS,
  loseLease,
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

/** A claimed task with an open batch. */
async function aBatch(): Promise<{ parent: TaskId; id: BatchId }> {
  const { id: parent } = await accepted(stores);
  await claimed(stores, parent);
  const id = randomUUID() as BatchId;
  await stores.batchStore.open(fenceOf(parent, 1), id, 'key');
  return { parent, id };
}

function chunksOf(batchId: BatchId, count: number, taskIds: readonly TaskId[] = []): NewChunks {
  const chunks = Array.from({ length: count }, (_, position) => ({
    position,
    firstItem: position * 2,
    size: 2,
    items: JSON.stringify([position, { n: position }]),
    sourceIndexes: [],
    task:
      taskIds[position] === undefined ? null : { id: taskIds[position], arguments: { position } },
  }));
  return {
    batchId,
    chunks,
    storedChunks: count,
    storedItems: count * 2,
    sealed: true,
    policy: CHUNK_POLICY,
  };
}

const childOf = (id: TaskId): NewChild => ({ ...CHUNK_POLICY, id, arguments: {} });

const statesOf = async (...ids: TaskId[]): Promise<string[]> => {
  const rows = await stores.sql<{ state: string }>(
    'SELECT state FROM unnest($1::uuid[]) WITH ORDINALITY AS i (id, n) JOIN tasks USING (id) ORDER BY n',
    [ids],
  );
  return rows.map(({ state }) => state);
};

describe('a batch', () => {
  it('is counted by its chunks alone once its task was cancelled', async () => {
    const { id: task, principalId } = await accepted(stores);
    const plain = await accepted(stores);
    const { workerId } = await claimed(stores, task);
    await claimed(stores, plain.id, workerId);
    const id = randomUUID() as BatchId;
    await stores.batchStore.open(fenceOf(task, 1), id, 'key');
    await stores.batchStore.storeChunks(fenceOf(task, 1), chunksOf(id, 2));
    const told = { progress: 1, total: 4, message: '1 of 4 items done' };
    const report = { attempt: 1, progress: told, statusMessage: told.message };
    await stores.attemptStore.heartbeat(
      workerId,
      LEASE_MS,
      [task, plain.id].map((taskId) => ({ taskId, ...report })),
    );
    const save = { batchId: id, position: 0, save: 1, done: 2, failed: 0 };
    await stores.batchStore.save(fenceOf(task, 1), { ...save, outcomes: '[[0,1,7],[1,1,8]]' });
    const { taskStore, itemRecords } = stores;
    expect(await taskStore.cancel(task, principalId)).toMatchObject({
      task: {
        progress: null,
        statusMessage: `Cancelled. Its items: longshore://tasks/${task}/items`,
      },
    });
    expect((await itemRecords.counts(task, principalId))?.batches).toMatchObject([
      { items: 4, done: 2 },
    ]);
    // Nothing but its tool counts what a task without a batch has done.
    expect(await taskStore.cancel(plain.id, plain.principalId)).toMatchObject({
      task: { progress: told, statusMessage: told.message },
    });
  });

  it('is found again by a later attempt, as far as it was stored', async () => {
    const { parent, id } = await aBatch();
    expect(await stores.batchStore.storeChunks(fenceOf(parent, 1), chunksOf(id, 3))).toBe(true);
    await stores.attemptStore.release(fenceOf(parent, 1));
    await claimed(stores, parent);
    expect(await stores.batchStore.open(fenceOf(parent, 2), id, 'key')).toEqual({
      id,
      chunks: 3,
      items: 6,
      sealed: true,
      stopped: false,
    });
  });

  it('is not written to by an attempt that was replaced', async () => {
    const { parent, id } = await aBatch();
    await stores.batchStore.storeChunks(fenceOf(parent, 1), chunksOf(id, 1));
    await stores.attemptStore.release(fenceOf(parent, 1));
    await claimed(stores, parent);
    const progress = {
      batchId: id,
      position: 0,
      save: 1,
      outcomes: '[[0,1,5]]',
      done: 1,
      failed: 0,
    };
    const { batchStore } = stores;
    expect(await batchStore.open(fenceOf(parent, 1), id, 'key')).toBeNull();
    expect(await batchStore.storeChunks(fenceOf(parent, 1), chunksOf(id, 2))).toBe(false);
    expect(await batchStore.save(fenceOf(parent, 1), progress)).toBe(false);
    expect(await batchStore.stop(fenceOf(parent, 1), id)).toBe(false);
    expect(await batchStore.startChild(fenceOf(parent, 1), childOf(newTaskId()))).toBe(false);
    expect(await batchStore.save(fenceOf(parent, 2), progress)).toBe(true);
    expect(await batchStore.progress(id)).toMatchObject({
      done: 1,
      failed: 0,
      open: [{ size: 2 }],
    });
  });

  it('is counted right while a chunk of it comes to its end', async () => {
    const { parent, id } = await aBatch();
    const [first, second] = [newTaskId(), newTaskId()];
    const { batchStore } = stores;
    await batchStore.storeChunks(fenceOf(parent, 1), chunksOf(id, 2, [first, second]));
    await claimed(stores, first);
    await claimed(stores, second);
    const end = (task: TaskId, position: number) =>
      batchStore.save(fenceOf(task, 1), {
        batchId: id,
        position,
        save: 1,
        outcomes: '[[0,1,1],[1,1,2]]',
        done: 2,
        failed: 0,
      });
    await end(first, 0);
    const pool = createPool({
      url: stores.url,
      log: silentLogger,
      poolSize: 1,
      connectTimeoutMs: 10_000,
      statementTimeoutMs: 10_000,
    });
    try {
      const runner = new PoolRunner(pool, 'test');
      const between: SqlRunner = {
        run: async (statement) => {
          const rows = await runner.run(statement);
          if (statement.name === 'find-open-chunks') await end(second, 1);
          return rows;
        },
      };
      expect(await new PostgresBatchStore(between).progress(id)).toMatchObject({
        done: 2,
        failed: 0,
        open: [{ position: 1, done: 0 }],
      });
      expect(await batchStore.progress(id)).toEqual({ done: 4, failed: 0, open: [] });
    } finally {
      await pool.end();
    }
  });

  it('stores and saves the same as often as it is told, once', async () => {
    const { parent, id } = await aBatch();
    const taskId = newTaskId();
    const { batchStore } = stores;
    for (let times = 0; times < 2; times += 1) {
      await batchStore.storeChunks(fenceOf(parent, 1), chunksOf(id, 1, [taskId]));
    }
    await claimed(stores, taskId);
    const progress = { batchId: id, position: 0, done: 1, failed: 0 };
    for (let times = 0; times < 2; times += 1) {
      await batchStore.save(fenceOf(taskId, 1), { ...progress, save: 1, outcomes: '[[0,1,"a"]]' });
    }
    const failure = { code: 'X', message: 'y' };
    const outcomes = JSON.stringify([[1, 2, null, failure]]);
    await batchStore.save(fenceOf(taskId, 1), { ...progress, failed: 1, save: 2, outcomes });
    expect(await batchStore.chunk(id, 0)).toEqual({
      position: 0,
      firstItem: 0,
      size: 2,
      sourceIndexes: [],
      items: [0, { n: 0 }],
      outcomes: [
        [0, 1, 'a'],
        [1, 2, null, failure],
      ],
      saves: 2,
    });
    expect(await stores.eventsOf(taskId)).toEqual(['created', 'started']);
  });

  it('gives its chunks what its task has, but for the client', async () => {
    const { parent, id } = await aBatch();
    const taskId = newTaskId();
    await stores.batchStore.storeChunks(fenceOf(parent, 1), chunksOf(id, 1, [taskId]));
    const [same] = await stores.sql(
      `SELECT c.principal_id = p.principal_id AND c.expires_at = p.expires_at
         AND c.execution_deadline = p.execution_deadline AND c.session_id IS NULL AND NOT c.listed AS same
       FROM tasks AS c JOIN tasks AS p ON p.id = c.parent_task_id WHERE c.id = $1`,
      [taskId],
    );
    expect(same).toEqual({ same: true });
    expect(await claimed(stores, taskId)).toMatchObject({
      parentTaskId: parent,
      requestMethod: 'longshore/chunk',
      toolName: 'resize',
      arguments: { position: 0 },
      abilities: NO_ABILITIES,
    });
  });

  it('is deleted after its ttl, in steps', async () => {
    const { parent, id } = await aBatch();
    await stores.batchStore.storeChunks(fenceOf(parent, 1), chunksOf(id, 5));
    const other = await aBatch();
    await stores.batchStore.storeChunks(fenceOf(other.parent, 1), chunksOf(other.id, 1));
    await stores.sql("UPDATE batches SET expires_at = now() - interval '1 s' WHERE id = $1", [id]);
    const steps: number[] = [];
    for (let step = 1; step > 0; steps.push(step)) {
      step = await stores.maintenanceStore.deleteExpiredBatches(3);
    }
    expect(steps).toEqual([3, 2, 1, 0]);
    const left = await stores.sql('SELECT 1 FROM batch_chunks WHERE batch_id = ANY ($1)', [
      [id, other.id],
    ]);
    expect(left.length).toBe(1);
  });
});

describe('what a task has started', () => {
  const cancelOf = async (parent: TaskId): Promise<readonly EndedTask[]> => {
    const [{ principal_id: owner } = { principal_id: '' }] = await stores.sql<{
      principal_id: string;
    }>('SELECT principal_id FROM tasks WHERE id = $1', [parent]);
    const outcome = await stores.taskStore.cancel(parent, owner as never);
    if (outcome.kind !== 'cancelled') throw new Error(`it was ${outcome.kind}`);
    return outcome.descendants;
  };

  it('is cancelled with it, and what that has started too', async () => {
    const { parent } = await aBatch();
    const [child, grandchild, ended] = [newTaskId(), newTaskId(), newTaskId()];
    await stores.batchStore.startChild(fenceOf(parent, 1), childOf(child));
    await stores.batchStore.startChild(fenceOf(parent, 1), childOf(ended));
    await claimed(stores, ended);
    await stores.attemptStore.finish(finishOf(ended, 1));
    const worker = newWorkerId();
    await claimed(stores, child, worker);
    await stores.batchStore.startChild(fenceOf(child, 1), childOf(grandchild));
    const descendants = await cancelOf(parent);
    const { toolName, queue } = CHUNK_POLICY;
    const kind = { sessionId: null, toolName, queue };
    expect(descendants.toSorted((a, b) => Number(a.id > b.id) - 0.5)).toEqual(
      [
        { ...kind, id: child, workerId: worker },
        { ...kind, id: grandchild, workerId: null },
      ].toSorted((a, b) => Number(a.id > b.id) - 0.5),
    );
    expect(await statesOf(parent, child, grandchild, ended)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
      'finished',
    ]);
    expect(await stores.eventsOf(grandchild)).toEqual(['created', 'cancelled']);
  });

  it('is cancelled with it also when it is being admitted at that moment', async () => {
    const { parent } = await aBatch();
    const children = Array.from({ length: 20 }, newTaskId);
    for (const id of children) await stores.batchStore.startChild(fenceOf(parent, 1), childOf(id));
    const relay = new pg.Client(stores.url);
    await relay.connect();
    await relay.query('BEGIN');
    await relay.query('UPDATE tasks SET enqueued_at = now() WHERE id = ANY ($1)', [
      children.slice(5, 15),
    ]);
    const cancel = cancelOf(parent);
    await waitForLocked(stores, 1);
    await relay.query('COMMIT');
    await relay.end();
    expect((await cancel).map(({ id }) => id).toSorted()).toEqual(children.toSorted());
    expect(new Set(await statesOf(...children))).toEqual(new Set(['cancelled']));
  });

  it('is cancelled for the attempt that has its parent, and for nobody else while that is open', async () => {
    const { parent } = await aBatch();
    const [left, dropped] = [newTaskId(), newTaskId()];
    const { batchStore } = stores;
    for (const id of [left, dropped]) await batchStore.startChild(fenceOf(parent, 1), childOf(id));
    await loseLease(stores, parent);
    await claimed(stores, parent);
    expect(await batchStore.cancelDescendants(parent)).toEqual([]);
    expect(await batchStore.cancelChildren(fenceOf(parent, 1), [left, dropped])).toEqual([]);
    expect(await statesOf(left, dropped)).toEqual(['working', 'working']);
    expect(await batchStore.cancelChildren(fenceOf(parent, 2), [dropped])).toMatchObject([
      { id: dropped },
    ]);
    expect(await statesOf(parent, left, dropped)).toEqual(['working', 'working', 'cancelled']);
    await stores.attemptStore.finish(finishOf(parent, 2));
    expect(await batchStore.cancelDescendants(parent)).toMatchObject([{ id: left }]);
  });

  it('is left alone when its parent gets another attempt at that moment', async () => {
    const { parent } = await aBatch();
    const child = newTaskId();
    await stores.batchStore.startChild(fenceOf(parent, 1), childOf(child));
    await loseLease(stores, parent);
    const unlock = await lockRow(stores, 'tasks', parent);
    const claim = claimTask(stores, parent);
    await waitForLocked(stores, 1);
    const cancel = stores.batchStore.cancelChildren(fenceOf(parent, 1), [child]);
    await waitForLocked(stores, 2);
    await unlock();
    expect([(await claim).kind, await cancel]).toEqual(['claimed', []]);
    expect(await statesOf(child)).toEqual(['working']);
  });

  it('is cancelled by maintenance once its parent has ended, or is gone', async () => {
    const [running, finished, gone] = [await aBatch(), await aBatch(), await aBatch()];
    const ids: TaskId[] = [];
    for (const { parent } of [running, finished, gone]) {
      const id = newTaskId();
      ids.push(id);
      await stores.batchStore.startChild(fenceOf(parent, 1), childOf(id));
    }
    await stores.attemptStore.finish(finishOf(finished.parent, 1));
    await stores.sql('DELETE FROM tasks WHERE id = $1', [gone.parent]);
    const ended = await stores.maintenanceStore.cancelOrphans(100);
    expect(ended.map(({ id }) => id).toSorted()).toEqual(ids.slice(1).toSorted());
    expect(await statesOf(...ids)).toEqual(['working', 'cancelled', 'cancelled']);
  });

  it('is started once, and its outcome is read by its parent only', async () => {
    const { parent } = await aBatch();
    const id = newTaskId();
    const { batchStore } = stores;
    expect(await batchStore.startChild(fenceOf(parent, 1), childOf(id))).toBe(true);
    expect(await batchStore.startChild(fenceOf(parent, 1), childOf(id))).toBe(true);
    expect(await batchStore.childOutcome(parent, id)).toBeNull();
    await claimed(stores, id);
    await stores.attemptStore.finish(finishOf(id, 1));
    expect(await batchStore.childOutcome(parent, id)).toEqual(RESULT);
    expect(await batchStore.childOutcome(newTaskId(), id)).toEqual({ kind: 'cancelled' });
  });
});

it('says of chunks whose task has ended why, also when it is gone', async () => {
  const { parent, id } = await aBatch();
  const tasks = [newTaskId(), newTaskId(), newTaskId()];
  await stores.batchStore.storeChunks(fenceOf(parent, 1), chunksOf(id, 3, tasks));
  const [, lost, deleted] = tasks;
  if (lost === undefined || deleted === undefined) throw new Error('no tasks');
  await claimed(stores, lost);
  await alter(stores, lost, "lost = 4, lease_expires_at = now() - interval '1 s'");
  await stores.maintenanceStore.failOverdue(5, 100);
  await stores.sql('DELETE FROM tasks WHERE id = $1', [deleted]);
  const states = await stores.batchStore.chunks(id, [2, 1, 0]);
  expect(states.map(({ position, isEnded }) => [position, isEnded])).toEqual([
    [0, false],
    [1, true],
    [2, true],
  ]);
  expect(states[1]?.statusMessage).toMatch(/worker died 5 times/);
});
