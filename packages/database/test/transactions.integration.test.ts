import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { silentLogger } from '@longshore/core';
import { type PostgresTap, startPostgresTap } from '@longshore/testing/network';
import type pg from 'pg';
import * as z from 'zod';
import { createPool } from '../src/connection/connection-pool.ts';
import { PoolRunner } from '../src/connection/pool-runner.ts';
import type { SqlRunner } from '../src/connection/sql-runner.ts';
import { Prisma } from '../src/generated/client.ts';
import { waitForLocked } from './fixtures/lock-row.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

/* Which transactions are run again, and which are not; what is said of rows that do not fit. */

let stores: TestStores;
let tap: PostgresTap;
let pool: pg.Pool;
let runner: PoolRunner;

beforeAll(async () => {
  stores = await openTestStores();
  await stores.sql('CREATE TABLE sums (id text PRIMARY KEY, n int NOT NULL)');
});

afterAll(async () => {
  await stores.drop();
});

beforeEach(async () => {
  await stores.sql('TRUNCATE sums');
  await stores.sql("INSERT INTO sums VALUES ('a', 0), ('b', 0)");
  tap = await startPostgresTap(stores.url);
  pool = createPool({
    url: tap.url,
    log: silentLogger,
    poolSize: 4,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 15_000,
  });
  runner = new PoolRunner(pool, 'here');
});

afterEach(async () => {
  await pool.end();
  await tap.close();
});

const run = (on: SqlRunner, sql: Prisma.Sql): Promise<unknown[]> =>
  on.run({ name: 'test', row: z.unknown(), sql });
const add = (on: SqlRunner, id: string): Promise<unknown[]> =>
  run(on, Prisma.sql`UPDATE sums SET n = n + 1 WHERE id = ${id}`);
const isolate = (on: SqlRunner): Promise<unknown[]> =>
  run(on, Prisma.sql`SET TRANSACTION ISOLATION LEVEL SERIALIZABLE`);
const sums = () => stores.sql('SELECT id, n FROM sums ORDER BY id');

it('runs the victim of a deadlock again', async () => {
  let runs = 0;
  const both = (first: string, second: string) =>
    runner.transaction('both', async (on) => {
      runs += 1;
      await add(on, first);
      // Until the other one has its first row, too; the victim's second run finds nobody there.
      if (runs <= 2) await run(on, Prisma.sql`SELECT pg_advisory_xact_lock_shared(1)`);
      await add(on, second);
    });
  const gate = await pool.connect();
  await gate.query('SELECT pg_advisory_lock(1)');
  const done = Promise.all([both('a', 'b'), both('b', 'a')]);
  await waitForLocked(stores, 2);
  await gate.query('SELECT pg_advisory_unlock(1)');
  gate.release();
  await done;
  // Three, or four when the victim was back before the other one had its row.
  expect([3, 4]).toContain(runs);
  expect(await sums()).toEqual([
    { id: 'a', n: 2 },
    { id: 'b', n: 2 },
  ]);
});

it('runs a transaction again that another one got in the way of', async () => {
  let runs = 0;
  await runner.transaction('conflict', async (on) => {
    runs += 1;
    await isolate(on);
    await run(on, Prisma.sql`SELECT FROM sums`);
    if (runs === 1) await stores.sql('UPDATE sums SET n = 10');
    await add(on, 'a');
  });
  expect(runs).toBe(2);
  expect(await sums()).toContainEqual({ id: 'a', n: 11 });
});

it('runs a transaction again whose commit is answered with a conflict', async () => {
  let runs = 0;
  // Each reads what the other one writes: the second one to commit is refused there.
  await runner.transaction('skewed', async (on) => {
    runs += 1;
    const isFirst = runs === 1;
    await isolate(on);
    await run(on, Prisma.sql`SELECT FROM sums WHERE id = 'a'`);
    await add(on, 'b');
    if (!isFirst) return;
    await runner.transaction('other', async (other) => {
      await isolate(other);
      await run(other, Prisma.sql`SELECT FROM sums WHERE id = 'b'`);
      await add(other, 'a');
    });
  });
  expect(tap.statements.filter((name) => name === 'COMMIT')).toHaveLength(3);
  expect([runs, await sums()]).toEqual([
    2,
    [
      { id: 'a', n: 1 },
      { id: 'b', n: 1 },
    ],
  ]);
});

it('gives up what ends in conflicts again and again, and says that it may be tried later', async () => {
  let runs = 0;
  const conflict = runner.transaction('unlucky', async (on) => {
    runs += 1;
    await run(on, Prisma.sql`DO $$ BEGIN RAISE serialization_failure; END $$`);
  });
  await expect(conflict).rejects.toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    diagnosis: expect.stringContaining('did not answer unlucky'),
    cause: expect.objectContaining({ code: '40001' }),
  });
  expect(runs).toBe(3);
});

it('does not run a transaction again that may have been committed', async () => {
  let runs = 0;
  tap.loseAnswerTo('COMMIT');
  const unheard = runner.transaction('unheard', async (on) => {
    runs += 1;
    await add(on, 'a');
  });
  await expect(unheard).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
  expect(runs).toBe(1);
  expect(await sums()).toContainEqual({ id: 'a', n: 1 });
});

it.each<[string, (on: SqlRunner) => Promise<unknown>]>([
  ['refused', (on) => run(on, Prisma.sql`INSERT INTO sums VALUES ('a', 0)`)],
  ['cut off', (on) => run(on, Prisma.sql`SELECT pg_terminate_backend(pg_backend_pid())`)],
  ['left by its caller', () => Promise.reject(new Error('enough'))],
])('does not run a transaction again that was %s, and nothing of it happens', async (_how, end) => {
  let runs = 0;
  const failing = runner.transaction('failing', async (on) => {
    runs += 1;
    await add(on, 'a');
    await end(on);
  });
  await expect(failing).rejects.toMatchObject({ name: 'LongshoreError' });
  expect(runs).toBe(1);
  expect(await sums()).toContainEqual({ id: 'a', n: 0 });
});

it.each(['alone', 'in a transaction'])(
  'names the statement and the column of a row that does not fit, %s',
  async (how) => {
    const misfit = {
      name: 'read-sums',
      row: z.object({ id: z.string(), n: z.union([z.string(), z.boolean()]) }),
      sql: Prisma.sql`SELECT NULL AS id, n FROM sums`,
    };
    const read =
      how === 'alone' ? runner.run(misfit) : runner.transaction('more', (on) => on.run(misfit));
    await expect(read).rejects.toMatchObject({
      code: 'INTERNAL',
      message: 'A defect of this server.',
      diagnosis:
        'read-sums returned a row that does not fit: id: Invalid input: expected string, received null; n: Invalid input: expected string, received number, or Invalid input: expected boolean, received number',
    });
  },
);
