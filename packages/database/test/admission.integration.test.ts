import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type ClaimOutcome,
  type NewTask,
  type PrincipalId,
  silentLogger,
  type TaskId,
} from '@longshore/core';
import pg from 'pg';
import { openDatabase } from '../src/index.ts';
import {
  accepted,
  alter,
  claimed,
  claimTask,
  failedOf,
  fenceOf,
  finishOf,
  LEASE_MS,
  loseLease,
  newPrincipalId,
} from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

let stores: TestStores;

beforeAll(async () => {
  stores = await openTestStores();
});
afterAll(() => stores.drop());
/** Admission and limits count all tasks there are, so each test starts with none. */
beforeEach(() => stores.empty());

describe('admission', () => {
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
    expect(await stores.maintenanceStore.queueLoad('images', 100)).toEqual({
      seats: 5,
      waiting: 5,
    });
  });

  it('does not count delayed retries, ended and expired tasks as waiting', async () => {
    const [delayed, ended, expired] = await waiting(newPrincipalId(), 3, { enqueue: true });
    if (delayed === undefined || ended === undefined || expired === undefined) throw new Error();
    const { attempt } = await claimed(stores, delayed);
    await stores.attemptStore.retry(failedOf(delayed, attempt, { error: 'no', retryInMs: 60_000 }));
    await alter(stores, ended, "state = 'cancelled', finished_at = now()");
    await alter(stores, expired, 'expires_at = now()');
    expect(await stores.maintenanceStore.queueLoad('images', 100)).toEqual({
      seats: 0,
      waiting: 0,
    });
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
    await stores.attemptStore.release(fenceOf(a1, first.attempt));
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
});

describe('slots', () => {
  /* Claims of tasks that run as one of a number. */

  const owner = newPrincipalId();

  async function tasks(
    count: number,
    limits: { principal?: number; tool?: number; queue?: number },
    changes: Partial<NewTask> = {},
  ): Promise<TaskId[]> {
    const { principal, tool, queue } = limits;
    const made = await Promise.all(
      Array.from({ length: count }, () =>
        accepted(stores, {
          principalId: owner,
          principalLimit: principal,
          toolLimit: tool,
          queueLimit: queue,
          ...changes,
        }),
      ),
    );
    return made.map(({ id }) => id);
  }

  const claim = (id: TaskId | undefined): Promise<ClaimOutcome> => {
    if (id === undefined) throw new Error('no task');
    return claimTask(stores, id);
  };

  async function kinds(ids: readonly TaskId[]): Promise<string[]> {
    const outcomes: string[] = [];
    for (const id of ids) outcomes.push((await claim(id)).kind);
    return outcomes;
  }

  const finish = (taskId: TaskId, attempt: number): Promise<boolean> =>
    stores.attemptStore.finish(finishOf(taskId, attempt));

  const FULL = ['claimed', 'claimed', 'no_slot'];

  it('claims as many tasks of a principal as may run at once', async () => {
    const other = newPrincipalId();
    expect(await kinds(await tasks(3, { principal: 2 }))).toEqual(FULL);
    expect(await kinds(await tasks(1, { principal: 2 }, { queue: 'text' }))).toEqual(['no_slot']);
    expect(await kinds(await tasks(3, { principal: 2 }, { principalId: other }))).toEqual(FULL);
    expect(await kinds(await tasks(1, {}))).toEqual(['claimed']);
  });

  it('claims as many tasks of a tool as may run at once, whoever they belong to', async () => {
    const limit = { tool: 2 };
    const [one, two, three] = [newPrincipalId(), newPrincipalId(), newPrincipalId()].map(
      (principalId: PrincipalId) => tasks(1, limit, { toolName: 'rare', principalId }),
    );
    const ids = (await Promise.all([one, two, three])).flat().filter((id) => id !== undefined);
    expect(await kinds(ids)).toEqual(FULL);
    expect(await kinds(await tasks(1, limit, { toolName: 'other' }))).toEqual(['claimed']);
  });

  it('claims as many tasks of a queue as may run at once', async () => {
    expect(await kinds(await tasks(3, { queue: 2 }))).toEqual(FULL);
    expect(await kinds(await tasks(1, { queue: 2 }, { queue: 'text' }))).toEqual(['claimed']);
  });

  it('needs room under each limit, and takes none when one has no room', async () => {
    expect(await kinds(await tasks(1, { principal: 3, tool: 1 }, { toolName: 'a' }))).toEqual([
      'claimed',
    ]);
    const [refused] = await tasks(1, { principal: 3, tool: 1 }, { toolName: 'a' });
    expect((await claim(refused)).kind).toBe('no_slot');
    expect(await kinds(await tasks(3, { principal: 3 }, { toolName: 'b' }))).toEqual(FULL);
  });

  it.each<[string, (id: TaskId, attempt: number) => Promise<unknown>]>([
    ['finished', finish],
    ['cancelled', (id) => stores.taskStore.cancel(id, owner)],
    ['given back', (id, attempt) => stores.attemptStore.release(fenceOf(id, attempt))],
    [
      'put off after a failure',
      (taskId, attempt) =>
        stores.attemptStore.retry(failedOf(taskId, attempt, { error: 'no', retryInMs: 60_000 })),
    ],
    ['lost with its worker', (id) => loseLease(stores, id)],
    ['expired', (id) => alter(stores, id, 'expires_at = now()')],
  ])('has room again when an attempt was %s', async (_how, end) => {
    const [first, second] = await tasks(2, { principal: 1 });
    const outcome = await claim(first);
    if (outcome.kind !== 'claimed' || first === undefined) throw new Error(outcome.kind);
    expect((await claim(second)).kind).toBe('no_slot');
    await end(first, outcome.claim.attempt);
    expect((await claim(second)).kind).toBe('claimed');
    expect(await stores.sql('SELECT task_id FROM task_slots')).toEqual([{ task_id: second }]);
  });

  it('counts a task that comes back after its worker died once', async () => {
    const [first, second] = await tasks(2, { principal: 1 });
    await claim(first);
    if (first !== undefined) await loseLease(stores, first);
    expect(await claim(first)).toMatchObject({ kind: 'claimed', claim: { attempt: 2 } });
    expect((await claim(second)).kind).toBe('no_slot');
  });

  it('never claims more than the limit, whoever asks at the same time', async () => {
    const ids = await tasks(40, { principal: 3, tool: 5 });
    const fleet = Array.from({ length: 4 }, () =>
      openDatabase({ url: stores.url, log: silentLogger, poolSize: 3 }),
    );
    // Each asks for tasks of its own: nothing but the limit is between them.
    const claims = await Promise.all(
      ids.map((id, index) => {
        const database = fleet[index % fleet.length];
        if (database === undefined) throw new Error('no database');
        return claimTask(database, id);
      }),
    );
    await Promise.all(fleet.map((database) => database.close()));
    expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(3);
    expect(claims.filter(({ kind }) => kind === 'no_slot')).toHaveLength(37);
  });

  it('claims tasks without limits although those of the same turn can not be decided', async () => {
    const [limited] = await tasks(1, { tool: 1 }, { toolName: 'rare' });
    const [free] = await tasks(1, {});
    if (limited === undefined || free === undefined) throw new Error('no tasks');
    const impatient = openDatabase({ url: stores.url, log: silentLogger, statementTimeoutMs: 200 });
    const client = new pg.Client(stores.url);
    await client.connect();
    await client.query("SELECT pg_advisory_lock(hashtextextended('slot:tool:rare', 0))");
    const [decided, undecided] = await Promise.allSettled(
      [free, limited].map((id) => claimTask(impatient, id)),
    );
    await client.end();
    await impatient.close();
    expect(decided).toMatchObject({ value: { kind: 'claimed', claim: { taskId: free } } });
    expect(undecided).toMatchObject({ reason: { code: 'DATABASE_UNAVAILABLE' } });
    expect(await claim(limited)).toMatchObject({ kind: 'claimed', claim: { attempt: 1 } });
  });

  it('puts a task back among those that wait for their turn, unless it runs', async () => {
    const [refused, running] = await tasks(2, { principal: 1 });
    if (refused === undefined || running === undefined) throw new Error('no tasks');
    await claim(running);
    await stores.maintenanceStore.unadmit([refused, running]);
    expect(
      await stores.sql('SELECT enqueued_at IS NULL AS waits FROM tasks WHERE id = $1', [refused]),
    ).toEqual([{ waits: true }]);
    expect(
      await stores.sql('SELECT enqueued_at IS NULL AS waits FROM tasks WHERE id = $1', [running]),
    ).toEqual([{ waits: false }]);
  });

  it('says how long a limited task that somebody holds will be held', async () => {
    const [held] = await tasks(1, { principal: 5 });
    await claim(held);
    const outcome = await claim(held);
    expect(outcome.kind).toBe('not_yet');
    expect(outcome.kind === 'not_yet' && outcome.retryInMs).toBeGreaterThan(LEASE_MS / 2);
  });

  it('deletes the slots of an expired task with it', async () => {
    const [id] = await tasks(1, { principal: 1 });
    await claim(id);
    if (id !== undefined) await alter(stores, id, 'expires_at = now()');
    await stores.maintenanceStore.deleteExpired(10);
    expect(await stores.sql('SELECT * FROM task_slots')).toEqual([]);
  });
});
