import type { TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

/**
 * Gives up the readable file of a task that has the name of the file `key`. The caller holds the task's lock
 * (lock-attempt). Indexes: task_files_pkey, task_files_task_id_name_ready_key.
 */
export async function replaceFile(runner: SqlRunner, taskId: TaskId, key: string): Promise<void> {
  await runner.run({
    name: 'replace-file',
    row: z.unknown(),
    sql: Prisma.sql`
      UPDATE task_files SET state = 'unwanted', sweep_after = now()
      WHERE task_id = ${taskId}::uuid AND state = 'ready'
        AND name = (SELECT name FROM task_files WHERE id = ${key}::uuid)`,
  });
}
