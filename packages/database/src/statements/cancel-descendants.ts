import type { EndedTask, TaskId } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { ENDED_COLUMNS, EndedRow, toEndedTask } from '../rows/ended-row.ts';
import { SET_UNCLAIMED } from '../rows/open-task.ts';

/**
 * Ends what a task has started, and what that has, as cancelled, each with its `cancelled` event.
 *
 * Locks the open ones in the order of their ids. What is started in this very moment is not seen: its parent
 * has ended, so `cancelOrphans` finds it. Index: tasks_parent_task_id_open_idx, open tasks only.
 *
 * @param children null: all
 */
export async function cancelDescendants(
  runner: SqlRunner,
  taskId: TaskId,
  children: readonly TaskId[] | null,
): Promise<EndedTask[]> {
  const some = children === null ? Prisma.empty : Prisma.sql`AND t.id = ANY (${children}::uuid[])`;
  const rows = await runner.run({
    name: 'cancel-descendants',
    row: EndedRow,
    sql: Prisma.sql`
      WITH RECURSIVE doomed (id) AS (
        SELECT t.id FROM tasks AS t
        WHERE t.parent_task_id = ${taskId}::uuid AND t.finished_at IS NULL ${some}
        UNION ALL
        SELECT t.id FROM doomed AS d
        JOIN tasks AS t ON t.parent_task_id = d.id AND t.finished_at IS NULL
      ), picked AS MATERIALIZED (
        SELECT ${ENDED_COLUMNS} FROM doomed AS d JOIN tasks AS t ON t.id = d.id
        WHERE t.finished_at IS NULL
        ORDER BY t.id
        FOR NO KEY UPDATE OF t
      ), cancelled AS (
        UPDATE tasks AS t
        SET state = 'cancelled', finished_at = now(), updated_at = now(), ${SET_UNCLAIMED}
        FROM picked AS p WHERE t.id = p.id
        RETURNING t.id, t.attempt, p.session_id, p.worker_id
      ), event AS (
        INSERT INTO task_events (task_id, kind, attempt)
        SELECT id, 'cancelled', nullif(attempt, 0) FROM cancelled
      )
      SELECT id, session_id, worker_id FROM cancelled`,
  });
  return rows.map(toEndedTask);
}
