import type { PrincipalId, Task, TaskId } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { IS_ALIVE } from '../rows/open-task.ts';
import { TASK_COLUMNS, TaskRow, toTask } from '../rows/task-row.ts';

/**
 * Gives a call a handle: from here on it is listed. Locks the one row (index tasks_pkey).
 *
 * @param by its maker: the request is over then, and no progress may be told under its token (2025-11-25 basic/utilities/progress)
 * @returns null when it is unknown, expired, somebody else's or listed already
 */
export async function promoteTask(
  runner: SqlRunner,
  id: TaskId,
  owner: PrincipalId,
  by: 'maker' | 'other',
): Promise<Task | null> {
  const [row] = await runner.run({
    name: 'promote-task',
    row: TaskRow,
    sql: Prisma.sql`
      UPDATE tasks AS t SET listed = true, updated_at = now(),
        progress_token = CASE WHEN ${by === 'other'}::boolean THEN progress_token END
      WHERE t.id = ${id}::uuid AND t.principal_id = ${owner}::uuid AND NOT t.listed AND ${IS_ALIVE}
      RETURNING ${TASK_COLUMNS}`,
  });
  return row === undefined ? null : toTask(row);
}
