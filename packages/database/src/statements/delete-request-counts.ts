import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

/**
 * Deletes counts whose window has ended, oldest first. Locks the rows it takes and skips those that others
 * hold. Index: request_counts_window_ends_at_idx, `limit` entries.
 */
export async function deleteRequestCounts(runner: SqlRunner, limit: number): Promise<void> {
  await runner.run({
    name: 'delete-request-counts',
    row: z.unknown(),
    sql: Prisma.sql`
      WITH picked AS MATERIALIZED (
        SELECT principal_id FROM request_counts WHERE window_ends_at <= now()
        ORDER BY window_ends_at
        LIMIT ${limit}::int
        FOR UPDATE SKIP LOCKED
      )
      DELETE FROM request_counts AS c USING picked WHERE c.principal_id = picked.principal_id`,
  });
}
