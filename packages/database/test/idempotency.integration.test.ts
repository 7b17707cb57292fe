import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Acceptance, type NewTask, silentLogger } from '@longshore/core';
import { openDatabase } from '../src/index.ts';
import {
  accepted,
  alter,
  claimed,
  fenceOf,
  finishOf,
  newPrincipalId,
  newTask,
  newTaskId,
  RESULT,
} from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

/** As many processes, each with its own pool and its own groups. */
const REPLICAS = 3;

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

const keyed = (key: string, changes: Partial<NewTask> = {}, argumentsHash = 'a'): NewTask =>
  newTask({ idempotency: { key, argumentsHash }, ...changes });
const again = (task: NewTask, changes: Partial<NewTask> = {}): NewTask => ({
  ...task,
  id: newTaskId(),
  ...changes,
});
const rowsOf = (task: NewTask) =>
  stores.sql('SELECT id FROM tasks WHERE principal_id = $1', [task.principalId]);
/** The task that an acceptance leads to. */
const idOf = (task: NewTask, acceptance: Acceptance): string =>
  acceptance.kind === 'created' ? task.id : acceptance.task.id;

describe('the same call again', () => {
  it('is the task of the first one, and adds nothing', async () => {
    const first = keyed('k', { outcome: RESULT });
    expect((await stores.taskStore.accept(first)).kind).toBe('created');
    const second = again(first, { sessionId: null, era: 'modern', listed: false });
    expect(await stores.taskStore.accept(second)).toMatchObject({
      kind: 'known',
      task: { id: first.id, sessionId: first.sessionId, era: 'legacy', listed: true },
    });
    expect(await rowsOf(first)).toHaveLength(1);
    const left = await stores.sql(
      `SELECT (SELECT count(*)::int FROM task_events WHERE task_id = $1) AS events,
         (SELECT count(*)::int FROM task_results WHERE task_id = $1) AS results`,
      [second.id],
    );
    expect(left).toEqual([{ events: 0, results: 0 }]);
    expect(await stores.eventsOf(first.id)).toEqual(['created', 'finished']);
  });

  it('is found before it is accepted', async () => {
    const first = keyed('k');
    expect(await stores.taskStore.findSame(first)).toBeNull();
    await stores.taskStore.accept(first);
    expect(await stores.taskStore.findSame(again(first))).toMatchObject({ id: first.id });
    expect(await stores.taskStore.findSame(newTask())).toBeNull();
  });

  it.each(['running', 'cancelled', 'finished'])('is a task that is %s', async (state) => {
    const first = keyed('k');
    await stores.taskStore.accept(first);
    if (state === 'running') await claimed(stores, first.id);
    if (state === 'cancelled') await stores.taskStore.cancel(first.id, first.principalId);
    if (state === 'finished') {
      const { attempt } = await claimed(stores, first.id);
      await stores.attemptStore.finish(finishOf(first.id, attempt));
    }
    expect(await stores.taskStore.accept(again(first))).toMatchObject({
      kind: 'known',
      task: { id: first.id, state: state === 'running' ? 'working' : state },
    });
  });

  it('with other arguments is refused', async () => {
    const first = keyed('k');
    await stores.taskStore.accept(first);
    const other = again(first, { idempotency: { key: 'k', argumentsHash: 'b' } });
    const refusal = { code: 'IDEMPOTENCY_CONFLICT' };
    await expect(stores.taskStore.accept(other)).rejects.toMatchObject(refusal);
    await expect(stores.taskStore.findSame(other)).rejects.toMatchObject(refusal);
    expect(await rowsOf(first)).toHaveLength(1);
  });

  it('by another principal, of another tool or with another key is another call', async () => {
    const first = keyed('k');
    const others = [
      again(first, { principalId: newPrincipalId() }),
      again(first, { toolName: 'crop_images' }),
      again(first, { idempotency: { key: 'K', argumentsHash: 'a' } }),
    ];
    for (const task of [first, ...others]) {
      expect((await stores.taskStore.accept(task)).kind).toBe('created');
    }
  });

  it('is a new call once its task has expired, deleted or not', async () => {
    const first = keyed('k');
    await stores.taskStore.accept(first);
    await alter(stores, first.id, "expires_at = now() - interval '1 ms'");
    expect(await stores.taskStore.findSame(first)).toBeNull();
    const second = again(first);
    expect((await stores.taskStore.accept(second)).kind).toBe('created');
    await alter(stores, second.id, "expires_at = now() - interval '1 ms'");
    await stores.maintenanceStore.deleteExpired(100);
    expect((await stores.taskStore.accept(again(first))).kind).toBe('created');
  });
});

describe('many of the same call at once', () => {
  it('are one task in a group of one process', async () => {
    const first = keyed('k');
    const tasks = [newTask(), first, ...Array.from({ length: 20 }, () => again(first)), newTask()];
    const acceptances = await Promise.all(tasks.map((task) => stores.taskStore.accept(task)));
    const kinds = acceptances.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'created')).toHaveLength(3);
    expect([kinds.at(0), kinds.at(-1)]).toEqual(['created', 'created']);
    const ids = tasks.slice(1, -1).map((task, index) => {
      const acceptance = acceptances[index + 1];
      if (acceptance === undefined) throw new Error('no answer');
      return idOf(task, acceptance);
    });
    expect(new Set(ids).size).toBe(1);
    expect(await rowsOf(first)).toEqual([{ id: ids[0] }]);
    expect(await stores.eventsOf(ids[0] ?? '')).toEqual(['created']);
  });

  it('are one task each over several processes, in whatever order they come', async () => {
    const calls = Array.from({ length: 40 }, (_, index) => keyed(`k${index}`));
    for (let round = 0; round < 5; round += 1) {
      const principalId = newPrincipalId();
      const sent = await Promise.all(
        replicas.flatMap(({ taskStore }, replica) => {
          const tasks = calls.map((call) => again(call, { principalId }));
          if (replica % 2 === 1) tasks.reverse();
          return tasks.map(async (task) => ({
            key: task.idempotency?.key,
            id: idOf(task, await taskStore.accept(task)),
          }));
        }),
      );
      expect(sent).toHaveLength(calls.length * REPLICAS);
      const byKey = new Map(sent.map(({ key, id }) => [key, id]));
      for (const { key, id } of sent) expect(byKey.get(key)).toBe(id);
      const rows = await stores.sql('SELECT id FROM tasks WHERE principal_id = $1', [principalId]);
      expect(rows).toHaveLength(calls.length);
    }
  });
});

it('says whether an owner has a task that has not ended', async () => {
  const principalId = newPrincipalId();
  const hasOpen = () => stores.taskStore.hasOpen(principalId);
  await accepted(stores);
  await accepted(stores, { principalId, outcome: RESULT });
  expect(await hasOpen()).toBe(false);
  const { id } = await accepted(stores, { principalId, listed: false });
  expect(await hasOpen()).toBe(true);
  await claimed(stores, id);
  expect(await hasOpen()).toBe(true);
  await stores.taskStore.cancelHeld(id, principalId);
  expect(await hasOpen()).toBe(false);
});

it('counts the tasks of an owner that wait for a worker', async () => {
  const principalId = newPrincipalId();
  const count = (limit = 100) => stores.taskStore.countWaiting(principalId, limit);
  expect(await count()).toBe(0);
  const tasks = [];
  for (const listed of [true, false, true, true]) {
    tasks.push(await accepted(stores, { principalId, listed, enqueue: listed }));
  }
  await accepted(stores, { principalId, outcome: RESULT });
  await accepted(stores);
  expect(await count()).toBe(4);
  expect(await count(3)).toBe(3);
  const [first, , third] = tasks;
  if (first === undefined || third === undefined) throw new Error('no tasks');
  const { attempt } = await claimed(stores, first.id);
  await stores.taskStore.cancel(third.id, principalId);
  expect(await count()).toBe(2);
  // Given back, it waits again.
  await stores.attemptStore.release(fenceOf(first.id, attempt));
  expect(await count()).toBe(3);
});
