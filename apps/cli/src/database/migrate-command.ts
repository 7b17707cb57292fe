import path from 'node:path';
import type { Config } from '@longshore/config';
import type { Logger } from '@longshore/core';
import { migrate } from '@longshore/database/migrator';
import { startEmbeddedPostgres } from '@longshore/embedded';
import { lockDataDir } from './data-dir-lock.ts';
import { embeddedDirectory } from './embedded-directory.ts';

export interface MigrateCommandOptions {
  readonly config: Config;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Writes to the user. */
  readonly print: (line: string) => void;
}

/**
 * Migrates DATABASE_URL, or the embedded database, which it starts for that.
 *
 * @returns the exit code
 * @throws {LongshoreError} when it can not
 */
export async function migrateCommand(options: MigrateCommandOptions): Promise<number> {
  const { config, signal, print } = options;
  try {
    if (config.DATABASE_URL === null) await migrateEmbedded(options);
    else await migrateAndPrint(config.DATABASE_URL, options);
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    print('interrupted: the database is as the last migration applied left it');
    return 1;
  }
}

async function migrateEmbedded(options: MigrateCommandOptions): Promise<void> {
  const { config, log, signal } = options;
  const dataDir = path.resolve(config.DATA_DIR);
  const lock = await lockDataDir(dataDir, { log, signal, graceMs: config.SHUTDOWN_GRACE_MS });
  try {
    const postgres = await startEmbeddedPostgres({ dir: embeddedDirectory(dataDir), log, signal });
    try {
      await migrateAndPrint(postgres.url, options);
    } finally {
      await postgres.stop();
    }
  } finally {
    lock.release();
  }
}

async function migrateAndPrint(url: string, options: MigrateCommandOptions): Promise<void> {
  const { log, signal, print } = options;
  const { applied } = await migrate({ url, log, signal });
  for (const name of applied) print(`applied ${name}`);
  if (applied.length === 0) print('nothing to apply: the database is up to date');
}
