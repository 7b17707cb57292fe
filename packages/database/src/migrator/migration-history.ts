import { LongshoreError } from '@longshore/core';
import type pg from 'pg';
import * as z from 'zod';
import { hasChecksum, type MigrationFile } from './migration-files.ts';

/** Prisma's table, column by column as its schema engine 7.10 creates it. */
const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id                      VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum                VARCHAR(64) NOT NULL,
    finished_at             TIMESTAMPTZ,
    migration_name          VARCHAR(255) NOT NULL,
    logs                    TEXT,
    rolled_back_at          TIMESTAMPTZ,
    started_at              TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count     INTEGER NOT NULL DEFAULT 0
)`;

const Row = z.object({
  name: z.string(),
  checksum: z.string(),
  isFinished: z.boolean(),
});
/** A migration the database knows of and that was not marked as rolled back. */
export type HistoryRow = z.infer<typeof Row>;

export async function createHistoryTable(client: pg.Client): Promise<void> {
  await client.query(CREATE_TABLE);
}

/** @returns the rows in the order they were started; none when the table does not exist */
export async function readHistory(client: pg.Client): Promise<HistoryRow[]> {
  const table = await client.query(`SELECT 1 WHERE to_regclass('_prisma_migrations') IS NOT NULL`);
  if (table.rowCount === 0) return [];
  const { rows } = await client.query(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS "isFinished"
     FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at, migration_name`,
  );
  return z.array(Row).parse(rows);
}

/**
 * Compares what the database went through with what this code brings along.
 *
 * @returns the migrations the database lacks, in order
 * @throws {LongshoreError} MIGRATION_FAILED saying what to do, when the two do not fit: a migration that
 *   did not finish, one that this code does not know, one whose file was changed afterwards
 */
export function pendingMigrations(
  files: readonly MigrationFile[],
  history: readonly HistoryRow[],
): MigrationFile[] {
  const byName = new Map(files.map((file) => [file.name, file]));
  for (const { name, checksum, isFinished } of history) {
    if (!isFinished) throw unfinished(name);
    const file = byName.get(name);
    if (file === undefined) throw unknown(name);
    if (!hasChecksum(file, checksum)) throw edited(name);
  }
  const applied = new Set(history.map((row) => row.name));
  return files.filter((file) => !applied.has(file.name));
}

function unfinished(name: string): LongshoreError {
  return new LongshoreError(
    'MIGRATION_FAILED',
    `the migration ${name} was started and did not finish, so nobody knows how much of it the database has. See what failed (SELECT logs FROM _prisma_migrations WHERE migration_name = '${name}'), undo by hand what it did, then UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '${name}' AND finished_at IS NULL, and migrate again.`,
    { details: { migration: name, reason: 'unfinished' } },
  );
}

function unknown(name: string): LongshoreError {
  return new LongshoreError(
    'MIGRATION_FAILED',
    `the database has the migration ${name}, which this version of Longshore does not know: a newer version migrated it. Run that version, or restore a backup from before.`,
    { details: { migration: name, reason: 'newer' } },
  );
}

function edited(name: string): LongshoreError {
  return new LongshoreError(
    'MIGRATION_FAILED',
    `the file of the migration ${name} is not the one the database was migrated with. Put prisma/migrations/${name}/migration.sql back as it was, and make a new migration for the change.`,
    { details: { migration: name, reason: 'edited' } },
  );
}
