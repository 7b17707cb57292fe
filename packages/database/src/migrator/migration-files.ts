import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { LongshoreError } from '@longshore/core';

/** The next folder `prisma/migrations` on the way up: this file is run from src, from dist and bundled. */
export const MIGRATIONS_DIRECTORY = above(import.meta.dirname);

function above(directory: string): string {
  const migrations = path.join(directory, 'prisma/migrations');
  const parent = path.dirname(directory);
  return existsSync(migrations) || parent === directory ? migrations : above(parent);
}

/** First line of a file that runs outside a transaction. */
const NO_TRANSACTION = '-- longshore: no transaction';

export interface MigrationFile {
  /** Folder name, such as `20261121000000_create_task_tables`. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file in hexadecimal, as Prisma computes it. */
  readonly checksum: string;
  /**
   * False for a file that starts with `-- longshore: no transaction`, for CREATE INDEX CONCURRENTLY and
   * the like. Such a file holds one statement, since PostgreSQL makes several sent at once a transaction.
   */
  readonly isTransactional: boolean;
}

/**
 * Reads `<directory>/<name>/migration.sql`, in the order of their names, which is the order they run in.
 *
 * @throws {LongshoreError} MIGRATION_FAILED when the directory or a file is missing
 */
export function readMigrations(directory: string = MIGRATIONS_DIRECTORY): MigrationFile[] {
  if (!existsSync(directory)) {
    throw new LongshoreError(
      'MIGRATION_FAILED',
      `there are no migrations in ${directory}; ship the folder prisma/migrations with the code`,
    );
  }
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => readMigration(directory, name));
}

function readMigration(directory: string, name: string): MigrationFile {
  const file = path.join(directory, name, 'migration.sql');
  if (!existsSync(file)) {
    throw new LongshoreError('MIGRATION_FAILED', `the migration ${name} has no file ${file}`);
  }
  const sql = readFileSync(file, 'utf8');
  return {
    name,
    sql,
    checksum: checksumOf(sql),
    isTransactional: !sql.startsWith(NO_TRANSACTION),
  };
}

/** Whether `checksum` is of this file, also when one of the two had the line ends of Windows. */
export function hasChecksum(migration: MigrationFile, checksum: string): boolean {
  const unix = migration.sql.replaceAll('\r\n', '\n');
  const candidates = [migration.checksum, checksumOf(unix)];
  return candidates.includes(checksum) || checksumOf(unix.replaceAll('\n', '\r\n')) === checksum;
}

function checksumOf(sql: string): string {
  return createHash('sha256').update(sql).digest('hex');
}
