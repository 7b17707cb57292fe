import { afterEach, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { testDatabaseUrl } from '../src/index.ts';
import { createTestDatabase, type TestDatabase } from '../src/servers/index.ts';

// Real servers and processes on a machine that others use as well.
jest.setTimeout(60_000);

const open: TestDatabase[] = [];

afterEach(async () => {
  for (const database of open.splice(0)) await database.drop();
});

async function make(options?: { empty: boolean }): Promise<TestDatabase> {
  const database = await createTestDatabase(options);
  open.push(database);
  return database;
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const nameOf = (database: TestDatabase): string => new URL(database.url).pathname.slice(1);

it('gives each caller a migrated database of its own', async () => {
  const databases = await Promise.all([make(), make(), make()]);
  expect(new Set(databases.map(nameOf)).size).toBe(3);
  for (const { url } of databases) {
    expect(await query(url, 'SELECT count(*)::int AS tasks FROM tasks')).toEqual([{ tasks: 0 }]);
  }
});

it('can be empty', async () => {
  const { url } = await make({ empty: true });
  expect(await query(url, `SELECT to_regclass('tasks') AS tasks`)).toEqual([{ tasks: null }]);
});

it('is gone after drop, also with open sessions, and drop may be called twice', async () => {
  const database = await make();
  const client = new pg.Client(database.url);
  client.on('error', () => {});
  await client.connect();
  await database.drop();
  await database.drop();
  await expect(query(database.url, 'SELECT 1')).rejects.toThrow(/does not exist/);
});

it('drops what a dead test run left, and nothing of those that live', async () => {
  const mine = nameOf(await make());
  const prefix = mine.split('_').slice(0, 3).join('_');
  // No process has such a number: Linux stops at 4,194,304.
  const leftover = `${prefix}_999999999_abandoned`;
  const foreign = `longshore_test_otherhost_999999999_busy`;
  const admin = testDatabaseUrl();
  for (const name of [leftover, foreign]) await query(admin, `CREATE DATABASE ${name}`);
  try {
    const { sweepTestDatabases } = await import('../src/servers/test-database.ts');
    await sweepTestDatabases();
    const names = await query(
      admin,
      `SELECT datname AS name FROM pg_database
       WHERE datname IN ('${mine}', '${leftover}', '${foreign}') ORDER BY datname`,
    );
    expect(names.map(({ name }) => name)).toEqual([mine, foreign].sort());
  } finally {
    for (const name of [leftover, foreign]) {
      await query(admin, `DROP DATABASE IF EXISTS ${name}`);
    }
  }
});
