import type { PrincipalId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

/**
 * Makes the caller the only one who adds schedules to this principal until the end of its transaction, so that
 * what the next statement counts stays true.
 */
export async function lockSchedules(runner: SqlRunner, owner: PrincipalId): Promise<void> {
  await runner.run({
    name: 'lock-schedules',
    row: z.unknown(),
    sql: Prisma.sql`
      SELECT pg_advisory_xact_lock(hashtextextended('schedules:' || ${owner}::text, 0))`,
  });
}
