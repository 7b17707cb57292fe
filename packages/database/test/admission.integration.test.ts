import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { NewTask, PrincipalId, TaskId } from '@longshore/core';
import { accepted, alter, claimed, loseLease, newPrincipalId } from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

let stores: TestStores;

beforeEach(async () => {
  stores = await openTestStores();
});

afterEach(async () => {
  await stores.drop();
});

let created = 0;

/** Waiting tasks of one principal, each younger than all before. */
async function waiting(
  principalId: PrincipalId,
  count: number,
  changes: Partial<NewTask> = {},
): Promise<TaskId[]> {
  const ids: TaskId[] = [];
  for (let task = 0; task < count; task += 1) {
    const { id } = await accepted(stores, { principalId, enqueue: false, ...changes });
    created += 1;
    await alter(stores, id, `created_at = now() - interval '1 day' + interval '${created} ms'`);
    ids.push(id);
  }
  return ids;
}

async function admit(
  depth: number,
  options: { limit?: number; most?: number; queue?: string } = {},
): Promise<TaskId[]> {
  const { limit = 1_000, most = 1_000, queue = 'images' } = options;
  const admission = await stores.maintenanceStore.admit(queue, { depth, most, limit });
  return admission?.jobs.map(({ taskId }) => taskId) ?? [];
}

const announce = (concurrency: number, queues: string[]): Promise<unknown> =>
  stores.sql(
    `INSERT INTO workers (id, host, pid, version, queues, concurrency)
     VALUES (gen_random_uuid(), 'host', 1, '1', $1, $2)`,
    [queues, concurrency],
  );

it('admits by turns: the first task of everybody, then the second', async () => {
  const [a, b, c] = [newPrincipalId(), newPrincipalId(), newPrincipalId()];
  const [a1, a2, a3, a4] = await waiting(a, 4);
  const [b1, b2] = await waiting(b, 2);
  const [c1] = await waiting(c, 1);
  expect(await admit(4)).toEqual([a1, b1, c1, a2]);
  expect(await admit(6)).toEqual([b2, a3]);
  expect(await admit(7)).toEqual([a4]);
});

it('counts what a principal has waiting already, and not what runs', async () => {
  const [a, b] = [newPrincipalId(), newPrincipalId()];
  const [a1, a2, a3, a4] = await waiting(a, 4);
  expect(await admit(2)).toEqual([a1, a2]);
  const [b1, b2, b3] = await waiting(b, 3);
  expect(await admit(5)).toEqual([b1, b2, a3]);
  for (const id of [b1, b2, a1, a2, a3]) if (id !== undefined) await claimed(stores, id);
  expect(await admit(1)).toEqual([a4, b3]);
});

it('gives a newcomer its first turn in a queue that is deep enough, and nobody a second one', async () => {
  const flood = newPrincipalId();
  const first = await waiting(flood, 5);
  expect(await admit(2)).toEqual(first.slice(0, 2));
  expect(await admit(2)).toEqual([]);
  const [newcomer] = await waiting(newPrincipalId(), 3);
  expect(await admit(2)).toEqual([newcomer]);
  expect(await admit(2)).toEqual([]);
});

it('lets nobody beyond the window', async () => {
  for (let principal = 0; principal < 5; principal += 1) await waiting(newPrincipalId(), 1);
  expect(await admit(1, { most: 3 })).toHaveLength(3);
  expect(await admit(1, { most: 3 })).toEqual([]);
});

it('has as many jobs wait as the workers of the queue have seats', async () => {
  await waiting(newPrincipalId(), 20);
  await announce(3, ['images', 'text']);
  await announce(2, ['images']);
  await announce(9, ['text']);
  const admission = await stores.maintenanceStore.admit('images', {
    depth: 1,
    most: 100,
    limit: 100,
  });
  expect([admission?.seats, admission?.waiting, admission?.jobs.length]).toEqual([5, 0, 5]);
  expect(await stores.maintenanceStore.queueLoad('images', 100)).toEqual({ seats: 5, waiting: 5 });
});

it('does not count delayed retries, ended and expired tasks as waiting', async () => {
  const [delayed, ended, expired] = await waiting(newPrincipalId(), 3, { enqueue: true });
  if (delayed === undefined || ended === undefined || expired === undefined) throw new Error();
  const { attempt } = await claimed(stores, delayed);
  await stores.attemptStore.retry({ taskId: delayed, attempt, error: 'no', retryInMs: 60_000 });
  await alter(stores, ended, "state = 'cancelled', finished_at = now()");
  await alter(stores, expired, 'expires_at = now()');
  expect(await stores.maintenanceStore.queueLoad('images', 100)).toEqual({ seats: 0, waiting: 0 });
});

it('brings every principal its turn, however many there are', async () => {
  await stores.sql(
    `INSERT INTO tasks (id, principal_id, auth_binding_id, era, request_method, request_id, listed,
       tool_name, arguments, queue, state, max_attempts, timeout_ms)
     SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'modern', 'tools/call', '1', true,
       'tool', '{}', 'images', 'working', 1, 1000 FROM generate_series(1, 1300)`,
  );
  const all = new Set<TaskId>();
  for (let call = 0; call < 3; call += 1) {
    for (const id of await admit(1, { most: 10_000, limit: 500 })) all.add(id);
  }
  expect(all.size).toBe(1_300);
});

it('admits for one caller at a time', async () => {
  await waiting(newPrincipalId(), 30);
  await Promise.all(Array.from({ length: 6 }, () => admit(4)));
  expect((await stores.maintenanceStore.queueLoad('images', 100)).waiting).toBe(4);
});

it('admits what may run at once of a principal, and others meanwhile', async () => {
  const [a, b] = [newPrincipalId(), newPrincipalId()];
  const [a1, a2, a3] = await waiting(a, 3, { principalLimit: 2 });
  const [b1, b2] = await waiting(b, 2);
  expect(await admit(10)).toEqual([a1, b1, a2, b2]);
  expect(await admit(10)).toEqual([]);
  if (a1 === undefined || a2 === undefined) throw new Error();
  const first = await claimed(stores, a1);
  expect(await admit(10)).toEqual([]);
  await stores.attemptStore.release(a1, first.attempt);
  await alter(stores, a1, "state = 'cancelled', finished_at = now()");
  expect(await admit(10)).toEqual([a3]);
});

it('admits what may run at once of a tool, over all principals, and tools behind it meanwhile', async () => {
  const [a, b] = [newPrincipalId(), newPrincipalId()];
  const rare = { toolName: 'rare', toolLimit: 1 };
  const [a1] = await waiting(a, 3, rare);
  await waiting(b, 3, rare);
  const [other] = await waiting(a, 1, { toolName: 'other' });
  expect(await admit(10)).toEqual([a1, other]);
  if (a1 === undefined) throw new Error();
  await claimed(stores, a1);
  expect(await admit(10)).toEqual([]);
  await loseLease(stores, a1);
  expect(await admit(10)).toHaveLength(1);
});

it('admits what may run at once of a queue', async () => {
  const [a, b] = [newPrincipalId(), newPrincipalId()];
  const [a1, a2] = await waiting(a, 5, { queueLimit: 3 });
  const [b1] = await waiting(b, 5, { queueLimit: 3 });
  expect(await admit(10)).toEqual([a1, b1, a2]);
  if (a1 === undefined) throw new Error();
  await claimed(stores, a1);
  expect(await admit(10)).toEqual([]);
});

it('finds the oldest waiting task of everybody who runs nothing of the queue', async () => {
  const [busy, idle, asking, parent, unlucky] = [1, 2, 3, 4, 5].map(newPrincipalId);
  const enqueued = async (principalId: PrincipalId | undefined, count: number) => {
    const ids = await waiting(principalId ?? newPrincipalId(), count);
    for (const id of ids) await alter(stores, id, `enqueued_at = now() - interval '1 s'`);
    return ids as [TaskId, ...TaskId[]];
  };
  const [running] = await enqueued(busy, 2);
  await claimed(stores, running);
  const [idles] = await enqueued(idle, 2);
  const [asks, asker] = await enqueued(asking, 2);
  await claimed(stores, asks);
  await alter(stores, asks, `state = 'input_required'`);
  const [mapping, child] = await enqueued(parent, 2);
  await claimed(stores, mapping);
  await alter(stores, child as TaskId, `parent_task_id = '${mapping}'`);
  const [lost] = await enqueued(unlucky, 1);
  await claimed(stores, lost);
  await loseLease(stores, lost);
  const [, behind] = [lost, ...(await enqueued(unlucky, 1))];
  await waiting(newPrincipalId(), 1);
  await accepted(stores);
  await waiting(newPrincipalId(), 1, { queue: 'text' });
  const found = await stores.attemptStore.newcomers('images', 10);
  expect(found.map(({ taskId }) => taskId)).toEqual([idles, asker, child, behind]);
  expect(found[0]).toEqual({
    taskId: idles,
    principalId: idle,
    requestMethod: 'tools/call',
    toolName: 'resize_images',
  });
  expect(await stores.attemptStore.newcomers('images', 1)).toHaveLength(1);
});
