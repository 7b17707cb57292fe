import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { diagnosisOf, type Logger, LongshoreError, silentLogger } from '@longshore/core';
import type pg from 'pg';
import { withConnection } from './migration-connection.ts';
import { type MigrationFile, readMigrations } from './migration-files.ts';
import { createHistoryTable, pendingMigrations, readHistory } from './migration-history.ts';

/*
 * Brings a database to the schema of this code, at start-up and from any number of processes at once.
 *
 * Reads the folders Prisma's tools write and keeps the table Prisma's tools keep, so `prisma migrate` and
 * this can take turns on one database; Prisma's own engine is not needed to run Longshore.
 *
 * Each migration and its row commit together: a process killed in between, or a statement that fails,
 * leaves the database as before that migration, and the next run tries it again. Only a migration that asks
 * to run without a transaction can stop half-way; then its row stays unfinished, with the error in
 * `logs`, and everybody refuses the database until somebody has looked.
 */

/** The advisory lock of Prisma's schema engine, so that it waits for us and we wait for it. */
const LOCK = 72_707_369;

/**
 * The lock is asked for again and again instead of waited for: a waiting statement holds a snapshot, and
 * CREATE INDEX CONCURRENTLY of the process that has the lock would wait for that in turn.
 */
const LOCK_POLL_MS = 50;

const LOCK_TIMEOUT_MS = 300_000;

/** A day: a migration may rewrite a large table. */
const MIGRATION_TIMEOUT_MS = 86_400_000;

export interface MigrateOptions {
  readonly url: string;
  /** `prisma/migrations` of the repository by default. */
  readonly directory?: string;
  readonly log?: Logger;
  /** How long to wait while another process migrates, in milliseconds; five minutes by default. */
  readonly lockTimeoutMs?: number;
  /** Ends the wait for another process; a migration that runs is not interrupted. */
  readonly signal?: AbortSignal;
}

/**
 * Applies what the database lacks. Harmless when nothing is missing, and when others do it at once.
 *
 * @returns names of the migrations this call applied, in order
 * @throws {LongshoreError} MIGRATION_FAILED saying what to do; DATABASE_UNAVAILABLE when it does not answer
 */
export function migrate(options: MigrateOptions): Promise<{ readonly applied: string[] }> {
  const { url, directory, log = silentLogger, lockTimeoutMs = LOCK_TIMEOUT_MS, signal } = options;
  return withConnection(url, log, async (client) => {
    const files = readMigrations(directory);
    await lock(client, lockTimeoutMs, signal);
    await createHistoryTable(client);
    const applied: string[] = [];
    for (const file of pendingMigrations(files, await readHistory(client))) {
      const startedAt = performance.now();
      await apply(client, file);
      applied.push(file.name);
      const durationMs = Math.round(performance.now() - startedAt);
      log.debug({ migration: file.name, durationMs }, 'migration applied');
    }
    return { applied };
  });
}

/** The lock belongs to the session and ends with the connection. */
async function lock(
  client: pg.Client,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const { rowCount } = await client.query(
      'SELECT 1 FROM (SELECT pg_try_advisory_lock($1) AS taken) AS attempt WHERE taken',
      [LOCK],
    );
    if (rowCount === 1) return;
    if (performance.now() >= until) {
      throw new LongshoreError(
        'MIGRATION_FAILED',
        `another process has been migrating this database for more than ${Math.round(timeoutMs / 1000)} s. Wait for it, or end its session (application_name "longshore migrator" in pg_stat_activity).`,
        { details: { reason: 'locked' } },
      );
    }
    await sleep(LOCK_POLL_MS, undefined, { signal });
  }
}

async function apply(client: pg.Client, file: MigrationFile): Promise<void> {
  const id = randomUUID();
  // Without values it goes as one simple query, which may hold many statements.
  const script = { text: file.sql, query_timeout: MIGRATION_TIMEOUT_MS };
  try {
    if (file.isTransactional) await client.query('BEGIN');
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at) VALUES ($1, $2, $3, date_trunc('milliseconds', clock_timestamp()))`,
      [id, file.checksum, file.name],
    );
    await client.query(script);
    await client.query(
      `UPDATE _prisma_migrations SET finished_at = date_trunc('milliseconds', clock_timestamp()), applied_steps_count = 1 WHERE id = $1`,
      [id],
    );
    if (file.isTransactional) await client.query('COMMIT');
  } catch (cause) {
    const reason = diagnosisOf(cause);
    // Both are attempts: the connection may be what failed.
    if (file.isTransactional) await client.query('ROLLBACK').catch(() => {});
    else await noteFailure(client, id, reason).catch(() => {});
    throw failed(file, reason, cause);
  }
}

async function noteFailure(client: pg.Client, id: string, reason: string): Promise<void> {
  await client.query('UPDATE _prisma_migrations SET logs = $2 WHERE id = $1', [id, reason]);
}

function failed(file: MigrationFile, reason: string, cause: unknown): LongshoreError {
  const consequence = file.isTransactional
    ? 'The database is as it was before this migration. Remove the cause and migrate again.'
    : 'It ran outside a transaction: undo by hand what it did before migrating again.';
  return new LongshoreError(
    'MIGRATION_FAILED',
    `the migration ${file.name} failed: ${reason}. ${consequence}`,
    { cause, details: { migration: file.name, reason: 'failed' } },
  );
}
