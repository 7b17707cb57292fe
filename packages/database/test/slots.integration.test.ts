import { afterEach, beforeEach, expect, it } from '@jest/globals';
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
  LEASE_MS,
  loseLease,
  newPrincipalId,
  newWorkerId,
  RESULT,
} from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

/* Claims of tasks that run as one of a number. */

let stores: TestStores;

beforeEach(async () => {
  stores = await openTestStores();
});

afterEach(async () => {
  await stores.drop();
});

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
  return stores.attemptStore.claim(id, newWorkerId(), LEASE_MS);
};

async function kinds(ids: readonly TaskId[]): Promise<string[]> {
  const outcomes: string[] = [];
  for (const id of ids) outcomes.push((await claim(id)).kind);
  return outcomes;
}

const finish = (taskId: TaskId, attempt: number): Promise<boolean> =>
  stores.attemptStore.finish({
    taskId,
    attempt,
    outcome: RESULT,
    progress: null,
    statusMessage: null,
  });

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
  ['given back', (id, attempt) => stores.attemptStore.release(id, attempt)],
  [
    'put off after a failure',
    (taskId, attempt) =>
      stores.attemptStore.retry({ taskId, attempt, error: 'no', retryInMs: 60_000 }),
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
      return database.attemptStore.claim(id, newWorkerId(), LEASE_MS);
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
    [free, limited].map((id) => impatient.attemptStore.claim(id, newWorkerId(), LEASE_MS)),
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
