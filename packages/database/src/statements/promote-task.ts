import type { PrincipalId, Task, TaskId } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { IS_ALIVE } from '../rows/open-task.ts';
import { TASK_COLUMNS, TaskRow, toTask } from '../rows/task-row.ts';

/**
 * Gives a call a handle: from here on it is listed. Locks the one row (index tasks_pkey).
 *
 * @returns null when it is unknown, expired, somebody else's or listed already
 */
export async function promoteTask(
  runner: SqlRunner,
  id: TaskId,
  owner: PrincipalId,
): Promise<Task | null> {
  const [row] = await runner.run({
    name: 'promote-task',
    row: TaskRow,
    sql: Prisma.sql`
      UPDATE tasks AS t SET listed = true, updated_at = now()
      WHERE t.id = ${id}::uuid AND t.principal_id = ${owner}::uuid AND NOT t.listed AND ${IS_ALIVE}
      RETURNING ${TASK_COLUMNS}`,
  });
  return row === undefined ? null : toTask(row);
}
