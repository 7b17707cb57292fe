import type { PrincipalId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({ count: z.number() });

/**
 * Counts the schedules of a principal that have not ended. Locks nothing. Index: schedules_owner_newest_idx,
 * all entries of the principal, of which there are about as many as it may have.
 */
export async function countSchedules(runner: SqlRunner, owner: PrincipalId): Promise<number> {
  const [row] = await runner.run({
    name: 'count-schedules',
    row: Row,
    sql: Prisma.sql`
      SELECT count(*)::int AS count FROM schedules
      WHERE principal_id = ${owner}::uuid AND state <> 'ended'`,
  });
  return row?.count ?? 0;
}
