import type { EndedTask, Fence, TaskId } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { ENDED_COLUMNS, EndedRow, toEndedTask } from '../rows/ended-row.ts';
import { isHeldWith, SET_UNCLAIMED } from '../rows/open-task.ts';

/** Some of what a task has started, for the attempt that has it. */
export interface ChildrenOf {
  readonly fence: Fence;
  readonly children: readonly TaskId[];
}

/**
 * Ends what a task has started, and what that has, as cancelled, each with its `cancelled` event: all of it when the
 * task has ended or is gone, and `some` while that attempt has the task. For everybody else nothing happens, for the
 * current attempt goes on with what an earlier one has started.
 *
 * Locks the task, if open, and what it has started in the order of their ids. What is started in this very moment
 * is not seen: its parent has ended, so `cancelOrphans` finds it. The ids are an array, for Postgres looks again at a
 * row that others have changed while it was waited for, and would find no `doomed` to join it with. Indexes:
 * tasks_parent_task_id_open_idx, open tasks only; tasks_pkey.
 */
export async function cancelDescendants(
  runner: SqlRunner,
  taskId: TaskId,
  some: ChildrenOf | null,
): Promise<EndedTask[]> {
  const wanted =
    some === null ? Prisma.empty : Prisma.sql`AND t.id = ANY (${some.children}::uuid[])`;
  const isHolder = some === null ? Prisma.sql`false` : isHeldWith(some.fence);
  const isAllowed =
    some === null
      ? Prisma.sql`NOT EXISTS (SELECT FROM picked WHERE id = ${taskId}::uuid)`
      : Prisma.sql`EXISTS (SELECT FROM picked WHERE id = ${taskId}::uuid AND is_holder)`;
  const rows = await runner.run({
    name: 'cancel-descendants',
    row: EndedRow,
    sql: Prisma.sql`
      WITH RECURSIVE doomed (id) AS (
        SELECT t.id FROM tasks AS t
        WHERE t.parent_task_id = ${taskId}::uuid AND t.finished_at IS NULL ${wanted}
        UNION ALL
        SELECT t.id FROM doomed AS d
        JOIN tasks AS t ON t.parent_task_id = d.id AND t.finished_at IS NULL
      ), picked AS MATERIALIZED (
        SELECT ${ENDED_COLUMNS}, ${isHolder} AS is_holder
        FROM tasks AS t
        WHERE t.id = ANY (ARRAY(SELECT id FROM doomed UNION ALL SELECT ${taskId}::uuid)) AND t.finished_at IS NULL
        ORDER BY t.id
        FOR NO KEY UPDATE OF t
      ), cancelled AS (
        UPDATE tasks AS t
        SET state = 'cancelled', finished_at = now(), updated_at = now(), ${SET_UNCLAIMED}
        FROM picked AS p WHERE t.id = p.id AND p.id <> ${taskId}::uuid AND ${isAllowed}
        RETURNING t.id, t.attempt, t.tool_name, t.queue, p.session_id, p.worker_id
      ), event AS (
        INSERT INTO task_events (task_id, kind, attempt)
        SELECT id, 'cancelled', nullif(attempt, 0) FROM cancelled
      )
      SELECT id, session_id, worker_id, tool_name, queue FROM cancelled`,
  });
  return rows.map(toEndedTask);
}
