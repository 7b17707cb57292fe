import type { TaskFile, TaskId } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { FILE_COLUMNS, TaskFileRow, toTaskFile } from '../rows/task-file-row.ts';

/** The readable files of a task, by name, `limit` at most. Index: task_files_task_id_name_ready_key. */
export async function listFiles(
  runner: SqlRunner,
  taskId: TaskId,
  limit: number,
): Promise<TaskFile[]> {
  const rows = await runner.run({
    name: 'list-files',
    row: TaskFileRow,
    sql: Prisma.sql`
      SELECT ${FILE_COLUMNS} FROM task_files AS f
      WHERE f.task_id = ${taskId}::uuid AND f.state = 'ready'
      ORDER BY f.name
      LIMIT ${limit}::int`,
  });
  return rows.map(toTaskFile);
}
