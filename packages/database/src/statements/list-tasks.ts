import type { PrincipalId, Task, TaskListPosition } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { IS_ALIVE } from '../rows/open-task.ts';
import { TASK_COLUMNS, TaskRow, toTask } from '../rows/task-row.ts';

/**
 * Reads one page of an owner's tasks, newest first, those with a handle only. Locks nothing.
 * Index: tasks_owner_newest_idx in its own order, from the position on, so a late page costs no more than
 * the first one.
 *
 * @param after where the page before ended; that task need not exist any more
 */
export async function listTasks(
  runner: SqlRunner,
  owner: PrincipalId,
  limit: number,
  after: TaskListPosition | null,
): Promise<Task[]> {
  const position =
    after === null
      ? Prisma.empty
      : Prisma.sql`AND (t.created_at, t.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`;
  const rows = await runner.run({
    name: 'list-tasks',
    row: TaskRow,
    sql: Prisma.sql`
      SELECT ${TASK_COLUMNS} FROM tasks AS t
      WHERE t.principal_id = ${owner}::uuid AND t.listed AND ${IS_ALIVE} ${position}
      ORDER BY t.created_at DESC, t.id DESC
      LIMIT ${limit}::int`,
  });
  return rows.map(toTask);
}
