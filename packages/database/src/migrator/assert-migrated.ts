import { type Logger, LongshoreError, silentLogger } from '@longshore/core';
import { withConnection } from './migration-connection.ts';
import { readMigrations } from './migration-files.ts';
import { pendingMigrations, readHistory } from './migration-history.ts';

export interface AssertMigratedOptions {
  readonly url: string;
  /** `prisma/migrations` of the repository by default. */
  readonly directory?: string;
  readonly log?: Logger;
}

/**
 * Checks that the database has exactly the schema of this code, and changes nothing. Every process that
 * does not migrate itself calls it before it serves.
 *
 * @throws {LongshoreError} MIGRATION_FAILED when the database is older, newer or damaged, saying what to
 *   do; DATABASE_UNAVAILABLE when it does not answer
 */
export function assertMigrated(options: AssertMigratedOptions): Promise<void> {
  const { url, directory, log = silentLogger } = options;
  return withConnection(url, log, async (client) => {
    const pending = pendingMigrations(readMigrations(directory), await readHistory(client));
    const [first] = pending;
    if (first === undefined) return;
    throw new LongshoreError(
      'MIGRATION_FAILED',
      `the database lacks ${pending.length === 1 ? 'a migration' : `${pending.length} migrations`} of this version, first ${first.name}. Run "npm run migrate", then start again.`,
      { details: { migration: first.name, reason: 'older' } },
    );
  });
}
