import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

/**
 * Makes the caller the only one who takes slots under these limits until the end of its transaction. Waits for
 * others who do, for the few statements it takes them; a process that stands still loses the lock with its
 * connection, which Postgres ends after a while (connection-pool.ts).
 *
 * Advisory locks, in the order of the keys, before any row is locked: so no two callers wait for each other.
 */
export async function lockSlots(runner: SqlRunner, keys: readonly string[]): Promise<void> {
  await runner.run({
    name: 'lock-slots',
    row: z.unknown(),
    sql: Prisma.sql`
      SELECT pg_advisory_xact_lock(hashtextextended('slot:' || k.key, 0))
      FROM (SELECT unnest(${keys.toSorted()}::text[]) AS key) AS k`,
  });
}
