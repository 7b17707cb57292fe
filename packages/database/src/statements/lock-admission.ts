import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({ is_locked: z.boolean() });

/**
 * Makes the caller the only one who admits tasks of this queue until the end of its transaction, so that what
 * it counts stays true. Waits for nobody; a process that stands still loses the lock with its connection,
 * which Postgres ends after a while (connection-pool.ts).
 *
 * @returns false when somebody else admits tasks of this queue right now
 */
export async function lockAdmission(runner: SqlRunner, queue: string): Promise<boolean> {
  const [row] = await runner.run({
    name: 'lock-admission',
    row: Row,
    sql: Prisma.sql`
      SELECT pg_try_advisory_xact_lock(hashtextextended('admission:' || ${queue}::text, 0)) AS is_locked`,
  });
  return row?.is_locked === true;
}
