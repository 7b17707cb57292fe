import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { NewTask, SessionId } from '@longshore/core';
import { accepted, alter, newPrincipalId, newSessionId } from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

let stores: TestStores;

beforeAll(async () => {
  stores = await openTestStores();
});

afterAll(async () => {
  await stores.drop();
});

const BEGIN = new Date(0);

const changedAgo = (task: NewTask, interval: string) =>
  alter(stores, task.id, `updated_at = now() - interval '${interval}'`);

/** Three tasks of one session that changed three, one and two hours ago. */
const session = async () => {
  const sessionId = newSessionId();
  const principalId = newPrincipalId();
  const tasks = await Promise.all(
    [1, 2, 3].map(() => accepted(stores, { sessionId, principalId })),
  );
  const [oldest, newest, middle] = tasks;
  if (!(oldest && newest && middle)) throw new Error('three tasks');
  await changedAgo(oldest, '3 hours');
  await changedAgo(newest, '1 hour');
  await changedAgo(middle, '2 hours');
  const changed = async (since: Date, limit = 10, id: SessionId = sessionId, owner = principalId) =>
    (await stores.taskStore.changedSince(id, owner, since, limit)).map((task) => task.id);
  return { sessionId, principalId, oldest, newest, middle, changed };
};

it('reads the tasks that changed after an instant, oldest change first', async () => {
  const { oldest, newest, middle, principalId, changed } = await session();
  expect(await changed(BEGIN)).toEqual([oldest.id, middle.id, newest.id]);
  expect(await changed(BEGIN, 2)).toEqual([oldest.id, middle.id]);
  const seen = await stores.taskStore.find(middle.id, principalId);
  if (seen === null) throw new Error('it is there');
  expect(await changed(seen.updatedAt)).toEqual([newest.id]);
  expect(await changed(new Date(seen.updatedAt.getTime() - 1))).toEqual([middle.id, newest.id]);
});

it('reads neither other sessions, nor other owners, nor expired tasks, nor calls without a handle', async () => {
  const { oldest, newest, middle, sessionId, principalId, changed } = await session();
  await accepted(stores, { sessionId: newSessionId(), principalId });
  await accepted(stores, { sessionId, principalId: newPrincipalId() });
  await accepted(stores, { sessionId, principalId, listed: false });
  await alter(stores, middle.id, 'expires_at = now()');
  expect(await changed(BEGIN)).toEqual([oldest.id, newest.id]);
  expect(await changed(BEGIN, 10, newSessionId())).toEqual([]);
  expect(await changed(BEGIN, 10, sessionId, newPrincipalId())).toEqual([]);
  expect(await changed(BEGIN, 10, 'nonsense' as never)).toEqual([]);
});

it("looks at the owner's newest 1,000 tasks", async () => {
  const { oldest, sessionId, principalId, changed } = await session();
  await stores.sql(
    `INSERT INTO tasks (id, principal_id, auth_binding_id, session_id, era, request_method, request_id,
       listed, tool_name, arguments, queue, state, max_attempts, timeout_ms, created_at, updated_at)
     SELECT gen_random_uuid(), $1, gen_random_uuid(), NULL, 'legacy', 'tools/call', '1', true, 'tool',
       '{}', 'q', 'working', 1, 1, now() + interval '1 hour', now()
     FROM generate_series(1, 998)`,
    [principalId],
  );
  await alter(stores, oldest.id, "created_at = now() + interval '1 minute'");
  expect(await changed(BEGIN)).toHaveLength(2);
  expect((await changed(BEGIN))[0]).toBe(oldest.id);
  await accepted(stores, { sessionId, principalId });
  expect(await changed(BEGIN)).toHaveLength(2);
});
