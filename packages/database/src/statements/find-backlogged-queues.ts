import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({ queue: z.string() });

/**
 * Names the queues that have waiting tasks. Locks nothing.
 *
 * Index: tasks_backlog_idx, one probe per queue: it leaps from one queue to the next, as
 * DISTINCT would read the whole backlog.
 */
export async function findBackloggedQueues(runner: SqlRunner): Promise<string[]> {
  const rows = await runner.run({
    name: 'find-backlogged-queues',
    row: Row,
    sql: Prisma.sql`
      WITH RECURSIVE backlogged (queue) AS (
        (SELECT t.queue FROM tasks AS t WHERE t.finished_at IS NULL AND t.enqueued_at IS NULL
         ORDER BY t.queue LIMIT 1)
        UNION ALL
        SELECT (SELECT t.queue FROM tasks AS t
                WHERE t.finished_at IS NULL AND t.enqueued_at IS NULL AND t.queue > b.queue
                ORDER BY t.queue LIMIT 1)
        FROM backlogged AS b WHERE b.queue IS NOT NULL
      )
      SELECT queue FROM backlogged WHERE queue IS NOT NULL`,
  });
  return rows.map(({ queue }) => queue);
}
