import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NO_ABILITIES, type SessionId, silentLogger, type TaskId } from '@longshore/core';
import { waitFor } from '@longshore/testing';
import { spawnProcess } from '@longshore/testing/processes';
import { createTestDatabase, type TestDatabase } from '@longshore/testing/servers';
import pg from 'pg';
import { openDatabase } from '../src/index.ts';
import { assertMigrated, migrate } from '../src/migrator/index.ts';
import { readMigrations } from '../src/migrator/migration-files.ts';
import { type MigrationFolder, makeMigrationFolder } from './fixtures/migration-folder.ts';
import { LEASE_MS, newPrincipalId, newWorkerId } from './fixtures/task-factory.ts';

describe('migrating', () => {
  // Real servers and processes on a machine that others use as well.
  jest.setTimeout(60_000);

  const FIRST = '20260101000000_create_a';
  const SECOND = '20260102000000_create_b';

  let database: TestDatabase;
  let migrations: MigrationFolder;
  let client: pg.Client;

  beforeEach(async () => {
    migrations = makeMigrationFolder();
    migrations.write(FIRST, 'CREATE TABLE a (n int);\nINSERT INTO a VALUES (1), (2);\n');
    migrations.write(SECOND, 'CREATE TABLE b (n int);\n');
    database = await createTestDatabase({ empty: true });
    client = new pg.Client(database.url);
    await client.connect();
  });

  afterEach(async () => {
    await client.end();
    await database.drop();
    migrations.remove();
  });

  const run = () => migrate({ url: database.url, directory: migrations.directory });
  const check = () => assertMigrated({ url: database.url, directory: migrations.directory });

  async function rows(sql: string): Promise<Record<string, unknown>[]> {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  }

  const appliedNames = () =>
    rows('SELECT migration_name AS name FROM _prisma_migrations ORDER BY started_at');

  it('applies what is missing, in the order of the names, and says so', async () => {
    await expect(run()).resolves.toEqual({ applied: [FIRST, SECOND] });
    expect(await rows('SELECT count(*)::int AS n FROM a')).toEqual([{ n: 2 }]);
  });

  it('does nothing when it runs a second time', async () => {
    await run();
    await expect(run()).resolves.toEqual({ applied: [] });
    expect(await rows('SELECT count(*)::int AS n FROM a')).toEqual([{ n: 2 }]);
  });

  it('applies a migration that was added later', async () => {
    await run();
    migrations.write('20260103000000_create_c', 'CREATE TABLE c (n int);');
    await expect(run()).resolves.toEqual({ applied: ['20260103000000_create_c'] });
  });

  it('leaves one set when 20 connections migrate at once', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, run));
    expect(results.filter(({ applied }) => applied.length > 0)).toEqual([
      { applied: [FIRST, SECOND] },
    ]);
    expect(await appliedNames()).toEqual([{ name: FIRST }, { name: SECOND }]);
    expect(await rows('SELECT count(*)::int AS n FROM a')).toEqual([{ n: 2 }]);
  });

  it('leaves one set when four processes start at once', async () => {
    const script = path.join(import.meta.dirname, 'fixtures/migrate.js');
    const processes = await Promise.all(
      Array.from({ length: 4 }, () =>
        spawnProcess(process.execPath, [script, database.url, migrations.directory]),
      ),
    );
    const exits = await Promise.all(processes.map(({ exited }) => exited));
    expect(exits.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const lines = processes.flatMap((spawned) => spawned.lines).sort();
    expect(lines).toEqual([
      `applied ${JSON.stringify([FIRST, SECOND])}`,
      'applied []',
      'applied []',
      'applied []',
    ]);
  });

  it('leaves the database as it was when a statement fails, and goes on once that is repaired', async () => {
    migrations.write(SECOND, 'CREATE TABLE b (n int);\nINSERT INTO nowhere VALUES (1);');
    await expect(run()).rejects.toMatchObject({
      code: 'MIGRATION_FAILED',
      message: expect.stringMatching(
        /create_b failed: relation "nowhere" does not exist.*as it was/,
      ),
    });
    expect(await appliedNames()).toEqual([{ name: FIRST }]);
    expect(await rows(`SELECT to_regclass('b') AS b`)).toEqual([{ b: null }]);

    migrations.write(SECOND, 'CREATE TABLE b (n int);');
    await expect(run()).resolves.toEqual({ applied: [SECOND] });
  });

  it('leaves nothing of a migration whose process was killed in the middle', async () => {
    migrations.write(SECOND, 'CREATE TABLE b (n int);\nSELECT pg_sleep(600);');
    const script = path.join(import.meta.dirname, 'fixtures/migrate.js');
    const spawned = await spawnProcess(process.execPath, [
      script,
      database.url,
      migrations.directory,
    ]);
    const sleeping = `SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event = 'PgSleep'`;
    await waitFor(async () => (await rows(sleeping)).length === 1, {
      what: 'the migration sleeps',
    });
    await spawned.kill('SIGKILL');
    // The server notices a dead client when it next talks to it; here it is told.
    await rows(`SELECT pg_terminate_backend(pid) FROM (${sleeping}) AS s`);

    migrations.write(SECOND, 'CREATE TABLE b (n int);');
    await expect(run()).resolves.toEqual({ applied: [SECOND] });
  });

  it('refuses a migration that was edited after it was applied', async () => {
    await run();
    migrations.write(FIRST, 'CREATE TABLE a (n bigint);');
    const refusal = {
      code: 'MIGRATION_FAILED',
      message: expect.stringContaining(`Put prisma/migrations/${FIRST}/migration.sql back`),
      details: { migration: FIRST, reason: 'edited' },
    };
    await expect(run()).rejects.toMatchObject(refusal);
    await expect(check()).rejects.toMatchObject(refusal);
  });

  it('takes a file with the line ends of Windows for the same file', async () => {
    await run();
    migrations.write(FIRST, 'CREATE TABLE a (n int);\r\nINSERT INTO a VALUES (1), (2);\r\n');
    await expect(run()).resolves.toEqual({ applied: [] });
  });

  it('refuses a database that a newer version migrated', async () => {
    await run();
    migrations.forget(SECOND);
    const refusal = {
      code: 'MIGRATION_FAILED',
      message: expect.stringContaining('a newer version migrated it'),
      details: { migration: SECOND, reason: 'newer' },
    };
    await expect(run()).rejects.toMatchObject(refusal);
    await expect(check()).rejects.toMatchObject(refusal);
  });

  it('refuses after a migration that did not finish, until it is marked as rolled back', async () => {
    await run();
    await rows(
      `UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '${SECOND}'`,
    );
    const refusal = {
      code: 'MIGRATION_FAILED',
      message: expect.stringContaining('UPDATE _prisma_migrations SET rolled_back_at'),
      details: { migration: SECOND, reason: 'unfinished' },
    };
    await expect(run()).rejects.toMatchObject(refusal);
    await expect(check()).rejects.toMatchObject(refusal);

    await rows('DROP TABLE b');
    await rows('UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL');
    await expect(run()).resolves.toEqual({ applied: [SECOND] });
    await expect(check()).resolves.toBeUndefined();
  });

  it('runs a file outside a transaction when its first line asks for it, with others waiting', async () => {
    const name = '20260103000000_index_a';
    migrations.write(
      name,
      '-- longshore: no transaction\nCREATE INDEX CONCURRENTLY a_n_idx ON a (n);\n',
    );
    const results = await Promise.all(Array.from({ length: 4 }, run));
    expect(results.flatMap(({ applied }) => applied)).toEqual([FIRST, SECOND, name]);
    expect(
      await rows(`SELECT indisvalid FROM pg_index WHERE indexrelid = 'a_n_idx'::regclass`),
    ).toEqual([{ indisvalid: true }]);
  });

  it('keeps the error of a migration that failed outside a transaction', async () => {
    const name = '20260103000000_index_a';
    migrations.write(
      name,
      '-- longshore: no transaction\nCREATE UNIQUE INDEX CONCURRENTLY i ON a ((1));\n',
    );
    await expect(run()).rejects.toMatchObject({
      code: 'MIGRATION_FAILED',
      message: expect.stringContaining('undo by hand'),
    });
    expect(await rows('SELECT logs FROM _prisma_migrations WHERE finished_at IS NULL')).toEqual([
      { logs: expect.stringContaining('could not create unique index') },
    ]);
    await expect(run()).rejects.toMatchObject({ details: { reason: 'unfinished' } });
  });

  it('says that the database is older than the code', async () => {
    await expect(check()).rejects.toMatchObject({
      code: 'MIGRATION_FAILED',
      message: expect.stringMatching(/lacks 2 migrations.*Run "npm run migrate"/),
      details: { migration: FIRST, reason: 'older' },
    });
    await run();
    await expect(check()).resolves.toBeUndefined();
  });

  it('gives up when another process holds the lock too long', async () => {
    await client.query('SELECT pg_advisory_lock(72707369)');
    await expect(
      migrate({ url: database.url, directory: migrations.directory, lockTimeoutMs: 100 }),
    ).rejects.toMatchObject({ code: 'MIGRATION_FAILED', details: { reason: 'locked' } });
  });

  it('says that the folder of migrations is missing', async () => {
    await expect(
      migrate({ url: database.url, directory: '/nowhere/migrations' }),
    ).rejects.toMatchObject({
      code: 'MIGRATION_FAILED',
      message: expect.stringContaining('/nowhere/migrations'),
    });
  });

  it('names a database that does not answer, and no password', async () => {
    const error: unknown = await migrate({ url: 'postgresql://u:s3cret@127.0.0.1:1/d' }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
      message: expect.stringContaining('127.0.0.1:1/d'),
    });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('s3cret');
  });

  it('names no password when the URL itself is wrong', async () => {
    const error: unknown = await migrate({ url: 'postgresql://u:s3cret@[::1/d' }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    expect(String(error)).not.toContain('s3cret');
  });

  it('does not wait for ever for a server that says nothing', async () => {
    const silent = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    try {
      const address = silent.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      await expect(migrate({ url: `postgresql://u@127.0.0.1:${port}/d` })).rejects.toMatchObject({
        code: 'DATABASE_UNAVAILABLE',
        message: expect.stringContaining('no answer within 10 s'),
      });
    } finally {
      await new Promise((resolve) => silent.close(resolve));
    }
  });
});

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
