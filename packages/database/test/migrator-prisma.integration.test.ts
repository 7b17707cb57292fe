import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@longshore/testing/servers';
import pg from 'pg';
import { openSchemaEngine, type SchemaEngine } from '../../../scripts/schema-engine.js';
import { assertMigrated, migrate } from '../src/migrator/index.ts';

// Real servers and processes on a machine that others use as well.
jest.setTimeout(60_000);

/*
 * Prisma's own engine as the judge: it must find nothing to do after our migrator, ours nothing after it,
 * and the migrations must add up to prisma/schema.prisma.
 */

const PRISMA = path.join(import.meta.dirname, '../../../prisma');
const MIGRATIONS = path.join(PRISMA, 'migrations');
const SCHEMA = readFileSync(path.join(PRISMA, 'schema.prisma'), 'utf8');

let ours: TestDatabase;
let theirs: TestDatabase;
let engine: SchemaEngine;

beforeEach(async () => {
  ours = await createTestDatabase({ empty: true });
  theirs = await createTestDatabase({ empty: true });
});

afterEach(async () => {
  await engine.close();
  await ours.drop();
  await theirs.drop();
});

async function query(database: TestDatabase, sql: string): Promise<unknown[]> {
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const APPLIED = `SELECT migration_name, checksum, logs, rolled_back_at, applied_steps_count,
    length(id) AS id_length, finished_at >= started_at AS is_in_order,
    started_at = date_trunc('milliseconds', started_at) AS is_in_milliseconds
  FROM _prisma_migrations ORDER BY migration_name`;

const HISTORY_COLUMNS = `SELECT column_name, data_type, character_maximum_length, is_nullable, column_default
  FROM information_schema.columns WHERE table_name = '_prisma_migrations' ORDER BY ordinal_position`;

it('writes the history table exactly as Prisma does', async () => {
  await migrate({ url: ours.url });
  engine = await openSchemaEngine({ url: theirs.url, schema: SCHEMA });
  await engine.applyMigrations(MIGRATIONS);

  const rows = await query(ours, APPLIED);
  expect(rows.length).toBeGreaterThan(0);
  expect(rows).toEqual(await query(theirs, APPLIED));
  expect(await query(ours, HISTORY_COLUMNS)).toEqual(await query(theirs, HISTORY_COLUMNS));
});

it('leaves Prisma nothing to do', async () => {
  await migrate({ url: ours.url });
  engine = await openSchemaEngine({ url: ours.url, schema: SCHEMA });
  await expect(engine.applyMigrations(MIGRATIONS)).resolves.toEqual([]);
});

it('finds nothing to do after Prisma', async () => {
  engine = await openSchemaEngine({ url: theirs.url, schema: SCHEMA });
  await engine.applyMigrations(MIGRATIONS);
  await engine.close();
  await expect(migrate({ url: theirs.url })).resolves.toEqual({ applied: [] });
  await expect(assertMigrated({ url: theirs.url })).resolves.toBeUndefined();
});

const TABLES = `SELECT table_name FROM information_schema.tables
  WHERE table_schema = 'public' AND table_name <> '_prisma_migrations' ORDER BY 1`;

const COLUMNS = `SELECT c.relname AS table_name, a.attname AS column_name,
    format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS is_required,
    pg_get_expr(d.adbin, d.adrelid) AS default_value, a.attidentity, a.attgenerated
  FROM pg_attribute a
  JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p')
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE c.relnamespace = 'public'::regnamespace AND c.relname <> '_prisma_migrations'
    AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1, 2`;

/** Primary, unique and foreign keys. */
const KEYS = `SELECT conrelid::regclass::text AS table_name, conname AS name, pg_get_constraintdef(oid) AS definition
  FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'u', 'f')
    AND conrelid::regclass::text <> '_prisma_migrations' ORDER BY 1, 2`;

const INDEXES = `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
  WHERE schemaname = 'public' AND tablename <> '_prisma_migrations' ORDER BY 1`;

it('migrates to what prisma/schema.prisma says', async () => {
  await migrate({ url: ours.url });
  engine = await openSchemaEngine({ url: theirs.url, schema: SCHEMA });
  await query(theirs, await engine.diff(null));

  expect(await query(ours, TABLES)).toEqual(await query(theirs, TABLES));
  expect(await query(ours, COLUMNS)).toEqual(await query(theirs, COLUMNS));
  expect(await query(ours, KEYS)).toEqual(await query(theirs, KEYS));
  // The migrations may have more indexes: partial ones, which Prisma has no words for.
  expect(await query(ours, INDEXES)).toEqual(expect.arrayContaining(await query(theirs, INDEXES)));
});

it('sees a schema that no migration was written for', async () => {
  await migrate({ url: ours.url });
  const changed = SCHEMA.replace('model Task {', 'model Task {\n  planted String @db.Text\n');
  engine = await openSchemaEngine({ url: theirs.url, schema: changed });
  await query(theirs, await engine.diff(null));
  expect(await query(ours, COLUMNS)).not.toEqual(await query(theirs, COLUMNS));
});
