import type { EndedTask } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { ENDED_COLUMNS, EndedRow, toEndedTask } from '../rows/ended-row.ts';
import { SET_UNCLAIMED } from '../rows/open-task.ts';

/**
 * Ends open tasks whose parent has ended, or is gone, as cancelled, each with its `cancelled` event. Those
 * that they have started are orphans then, and come with the next call.
 *
 * Locks the rows it takes and skips those that others hold. Indexes: tasks_parent_task_id_open_idx, which
 * holds as many tasks as running batches have chunks out, and tasks_pkey.
 */
export async function cancelOrphans(runner: SqlRunner, limit: number): Promise<EndedTask[]> {
  const rows = await runner.run({
    name: 'cancel-orphans',
    row: EndedRow,
    sql: Prisma.sql`
      WITH picked AS MATERIALIZED (
        SELECT ${ENDED_COLUMNS} FROM tasks AS t
        WHERE t.finished_at IS NULL AND t.parent_task_id IS NOT NULL AND NOT EXISTS (
          SELECT FROM tasks AS p WHERE p.id = t.parent_task_id AND p.finished_at IS NULL)
        LIMIT ${limit}::int
        FOR NO KEY UPDATE OF t SKIP LOCKED
      ), cancelled AS (
        UPDATE tasks AS t
        SET state = 'cancelled', finished_at = now(), updated_at = now(), ${SET_UNCLAIMED}
        FROM picked AS p WHERE t.id = p.id
        RETURNING t.id, t.attempt, t.tool_name, t.queue, p.session_id, p.worker_id
      ), event AS (
        INSERT INTO task_events (task_id, kind, attempt)
        SELECT id, 'cancelled', nullif(attempt, 0) FROM cancelled
      )
      SELECT id, session_id, worker_id, tool_name, queue FROM cancelled`,
  });
  return rows.map(toEndedTask);
}
