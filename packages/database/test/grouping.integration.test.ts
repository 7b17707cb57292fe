import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TaskId } from '@longshore/core';
import {
  accepted,
  claimed,
  claimTask,
  failedOf,
  finishOf,
  newTask,
  RESULT,
} from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

let stores: TestStores;

beforeAll(async () => {
  stores = await openTestStores();
});

afterAll(async () => {
  await stores.drop();
});

/** How many statements wrote the rows as they are now: each one is a transaction of its own. */
async function writersOf(ids: readonly TaskId[]): Promise<number> {
  const rows = await stores.sql('SELECT DISTINCT xmin::text FROM tasks WHERE id = ANY ($1)', [ids]);
  return rows.length;
}

const finish = (taskId: TaskId) => stores.attemptStore.finish(finishOf(taskId, 1));

it('accepts, claims, retries and finishes the calls of one turn in one statement each', async () => {
  const tasks = Array.from({ length: 64 }, () => newTask());
  const ids = tasks.map(({ id }) => id);
  await Promise.all(tasks.map((task) => stores.taskStore.accept(task)));
  expect(await writersOf(ids)).toBe(1);
  const claims = await Promise.all(ids.map((id) => claimTask(stores, id)));
  expect(claims.map((claim) => claim.kind === 'claimed' && claim.claim.taskId)).toEqual(ids);
  expect(await writersOf(ids)).toBe(1);
  const half = ids.slice(32);
  expect(
    await Promise.all(
      half.map((taskId) => stores.attemptStore.retry(failedOf(taskId, 1, { retryInMs: 1_000 }))),
    ),
  ).toEqual(half.map(() => true));
  expect(await writersOf(half)).toBe(1);
  expect(await Promise.all(ids.map(finish))).toEqual(ids.map((_id, index) => index < 32));
  expect(await writersOf(ids.slice(0, 32))).toBe(1);
});

it('splits a crowd into groups of at most 500', async () => {
  const tasks = Array.from({ length: 1_100 }, () => newTask());
  await Promise.all(tasks.map((task) => stores.taskStore.accept(task)));
  expect(await writersOf(tasks.map(({ id }) => id))).toBe(3);
});

it('splits calls with large documents into groups of some megabytes', async () => {
  const text = 'x'.repeat(1024 * 1024);
  const tasks = Array.from({ length: 10 }, () => newTask({ arguments: { text } }));
  await Promise.all(tasks.map((task) => stores.taskStore.accept(task)));
  expect(await writersOf(tasks.map(({ id }) => id))).toBe(4);
});

it('tells each claim of a group its own fate', async () => {
  const [free, held, ended] = [
    await accepted(stores),
    await accepted(stores),
    await accepted(stores, { outcome: RESULT }),
  ];
  await claimed(stores, held.id);
  const claims = await Promise.all(
    [ended, free, held, newTask()].map(({ id }) => claimTask(stores, id)),
  );
  expect(claims.map(({ kind }) => kind)).toEqual(['gone', 'claimed', 'not_yet', 'gone']);
});

it('lets one of two claims of a task in the same turn win', async () => {
  const { id } = await accepted(stores);
  const claims = await Promise.all([1, 2, 3].map(() => claimTask(stores, id)));
  const kinds = claims.map(({ kind }) => kind).toSorted();
  expect(kinds).toEqual(['claimed', 'not_yet', 'not_yet']);
});

it('fails a task id that is taken, alone', async () => {
  const taken = await accepted(stores);
  const tasks = [newTask(), newTask({ id: taken.id }), newTask()];
  const answers = await Promise.allSettled(tasks.map((task) => stores.taskStore.accept(task)));
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  const [event] = await stores.sql('SELECT count(*) FROM task_events WHERE task_id = $1', [
    taken.id,
  ]);
  expect(event).toEqual({ count: '1' });
});

it('answers each of many reads of one turn for itself', async () => {
  const [mine, foreign] = [await accepted(stores, { outcome: RESULT }), await accepted(stores)];
  const read = (id: TaskId, owner: typeof mine.principalId) =>
    Promise.all([stores.taskStore.find(id, owner), stores.taskStore.findWithOutcome(id, owner)]);
  const answers = await Promise.all([
    read(mine.id, mine.principalId),
    read(foreign.id, mine.principalId),
    read(mine.id, mine.principalId),
    read(foreign.id, foreign.principalId),
    read(newTask().id, mine.principalId),
  ]);
  const seen = answers.map(([task, found]) => [task?.id, found?.task.id, found?.outcome]);
  expect(seen).toEqual([
    [mine.id, mine.id, RESULT],
    [undefined, undefined, undefined],
    [mine.id, mine.id, RESULT],
    [foreign.id, foreign.id, null],
    [undefined, undefined, undefined],
  ]);
});
