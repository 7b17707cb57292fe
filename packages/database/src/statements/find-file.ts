import type { PrincipalId, TaskFile, TaskId } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { IS_ALIVE } from '../rows/open-task.ts';
import { FILE_COLUMNS, TaskFileRow, toTaskFile } from '../rows/task-file-row.ts';

/**
 * Reads what is known of a readable file, for the owner of its task. Locks nothing. Indexes: tasks_pkey,
 * task_files_task_id_name_ready_key.
 *
 * @returns null when file or task are unknown, expired or somebody else's
 */
export async function findFile(
  runner: SqlRunner,
  taskId: TaskId,
  owner: PrincipalId,
  name: string,
): Promise<TaskFile | null> {
  const [row] = await runner.run({
    name: 'find-file',
    row: TaskFileRow,
    sql: Prisma.sql`
      SELECT ${FILE_COLUMNS}
      FROM tasks AS t JOIN task_files AS f ON f.task_id = t.id
      WHERE t.id = ${taskId}::uuid AND t.principal_id = ${owner}::uuid AND ${IS_ALIVE}
        AND f.name = ${name} AND f.state = 'ready'`,
  });
  return row === undefined ? null : toTaskFile(row);
}
