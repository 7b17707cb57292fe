import type { Logger } from '@longshore/core';
import {
  assertSchemaCompatibility,
  LATEST_SCHEMA_VERSION,
  runMigrations,
  SchemaMigrationRequiredError,
} from 'bullmq';
import pg from 'pg';
import { BULL_SCHEMA } from './keys.ts';
import { postgresConfig } from './postgres-connection.ts';
import { queueUnavailable } from './queue-unavailable.ts';

/** Waiting for another process's migration, about a second of work, counts in. */
const MIGRATION_TIMEOUT_MS = 60_000;

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Brings the schema of BullMQ's Postgres backend up to date. Processes that start together wait for each
 * other at BullMQ's advisory lock; where nothing is to be done nothing is locked.
 *
 * @throws {LongshoreError} QUEUE_UNAVAILABLE when Postgres does not answer or refuses
 */
export async function migrateBullSchema(databaseUrl: string, log: Logger): Promise<void> {
  const client = new pg.Client({
    ...postgresConfig(databaseUrl, 'longshore-queue-migration', MIGRATION_TIMEOUT_MS),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    if ((await currentVersion(client)) < LATEST_SCHEMA_VERSION) {
      const version = await runMigrations(client, BULL_SCHEMA);
      log.debug({ version }, 'job queue schema is up to date');
    }
  } catch (error) {
    throw queueUnavailable('the job queue schema could not be prepared in Postgres', error);
  } finally {
    await client.end().catch(() => {});
  }
}

/** 0 when there is no schema yet. */
async function currentVersion(client: pg.Client): Promise<number> {
  try {
    return await assertSchemaCompatibility(client, BULL_SCHEMA);
  } catch (error) {
    if (error instanceof SchemaMigrationRequiredError) return 0;
    throw error;
  }
}
