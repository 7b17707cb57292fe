import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { principalIdColumn } from '../rows/columns.ts';
import { ENDED_COLUMNS, EndedRow } from '../rows/ended-row.ts';

const Row = EndedRow.extend({ principal_id: principalIdColumn, is_open: z.boolean() });
export type ExpiredRow = z.infer<typeof Row>;

/**
 * Finds tasks past their ttl and locks them until the end of the transaction; those that others hold are
 * skipped. Index: tasks_expires_at_idx, from the earliest on, `limit` entries.
 */
export async function pickExpiredTasks(runner: SqlRunner, limit: number): Promise<ExpiredRow[]> {
  return runner.run({
    name: 'pick-expired-tasks',
    row: Row,
    sql: Prisma.sql`
      SELECT ${ENDED_COLUMNS}, t.principal_id, t.finished_at IS NULL AS is_open FROM tasks AS t
      WHERE t.expires_at <= now()
      ORDER BY t.expires_at
      LIMIT ${limit}::int
      FOR UPDATE SKIP LOCKED`,
  });
}
