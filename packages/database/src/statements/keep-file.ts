import type { TaskFile, TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({ id: z.string() });

/**
 * Makes a file readable whose bytes are all there. The caller holds the task's lock (lock-attempt) and has
 * put an earlier file of this name away (replace-file). Index: task_files_pkey.
 *
 * @returns false when the file was given up meanwhile
 */
export async function keepFile(
  runner: SqlRunner,
  taskId: TaskId,
  file: Pick<TaskFile, 'key' | 'size' | 'sha256'>,
): Promise<boolean> {
  const rows = await runner.run({
    name: 'keep-file',
    row: Row,
    sql: Prisma.sql`
      UPDATE task_files
      SET state = 'ready', size = ${file.size}::bigint, sha256 = decode(${file.sha256}, 'hex'),
          sweep_after = NULL
      WHERE id = ${file.key}::uuid AND task_id = ${taskId}::uuid AND state = 'writing'
      RETURNING id`,
  });
  return rows.length > 0;
}
