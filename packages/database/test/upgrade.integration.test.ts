import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { NO_ABILITIES, type SessionId, silentLogger, type TaskId } from '@longshore/core';
import { createTestDatabase } from '@longshore/testing/servers';
import pg from 'pg';
import { openDatabase } from '../src/index.ts';
import { migrate } from '../src/migrator/index.ts';
import { readMigrations } from '../src/migrator/migration-files.ts';
import { makeMigrationFolder } from './fixtures/migration-folder.ts';
import { LEASE_MS, newPrincipalId, newWorkerId } from './fixtures/task-factory.ts';

it('goes on with the tasks and sessions of the first version after an upgrade', async () => {
  const empty = await createTestDatabase({ empty: true });
  const [first] = readMigrations();
  if (first === undefined) throw new Error('there is a first migration');
  const folder = makeMigrationFolder();
  folder.write(first.name, first.sql);
  await migrate({ url: empty.url, directory: folder.directory });
  const [taskId, sessionId] = [randomUUID() as TaskId, randomUUID() as SessionId];
  const owner = newPrincipalId();
  const client = new pg.Client(empty.url);
  await client.connect();
  await client.query(
    `INSERT INTO tasks (id, principal_id, auth_binding_id, era, request_method, request_id, listed,
       tool_name, arguments, queue, state, max_attempts, timeout_ms)
     VALUES ($1, $2, gen_random_uuid(), 'legacy', 'tools/call', '7', true, 'tool', '{}', 'q', 'working', 3, 1)`,
    [taskId, owner],
  );
  await client.query(
    `WITH context AS (INSERT INTO auth_contexts VALUES ($1, 'anonymous_session', 'first')),
       binding AS (INSERT INTO auth_bindings VALUES ($2, $1, 'anonymous_session', '{}'))
     INSERT INTO sessions VALUES ($2, $1, $2, '2025-11-25', '{}', '{}')`,
    [owner, sessionId],
  );
  const worker = newWorkerId();
  await client.query(`INSERT INTO workers VALUES ($1, 'host', 1, '0.1.0', '{q}', 1)`, [worker]);
  await client.query(`INSERT INTO tools VALUES ($1, 'tool', '{"name":"tool"}')`, [worker]);
  await client.end();

  await migrate({ url: empty.url });
  const database = openDatabase({ url: empty.url, log: silentLogger });
  expect(await database.sessionStore.find(sessionId, null)).toMatchObject({
    logLevel: null,
    resourceSubscriptions: [],
  });
  expect(await database.taskStore.find(taskId, owner)).toMatchObject({
    requestId: 7,
    logLevel: null,
    state: 'working',
  });
  expect(await database.attemptStore.claim(taskId, newWorkerId(), LEASE_MS)).toMatchObject({
    claim: { requestMethod: 'tools/call', abilities: NO_ABILITIES, logLevel: null },
  });
  expect(await database.catalogueStore.beat(worker)).toBe(true);
  expect((await database.catalogueStore.load(60_000)).tools).toEqual([]);
  await database.close();
  folder.remove();
  await empty.drop();
});
