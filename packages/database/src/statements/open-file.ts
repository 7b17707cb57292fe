import type { FileFacts, TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { lockHeld } from '../rows/open-task.ts';
import { SWEEP_WRITING_AFTER } from '../rows/task-file-row.ts';

const Row = z.object({ id: z.string() });

/**
 * Notes a file whose bytes are about to come, for a task that the attempt still holds. Locks the task's row
 * first (index tasks_pkey), so that no later attempt can start before this is written.
 *
 * @returns the id of the new row, or null, with nothing written, when the attempt no longer holds the task
 */
export async function openFile(
  runner: SqlRunner,
  taskId: TaskId,
  attempt: number,
  { name, mimeType }: FileFacts,
): Promise<string | null> {
  const [row] = await runner.run({
    name: 'open-file',
    row: Row,
    sql: Prisma.sql`
      WITH held AS MATERIALIZED (${lockHeld(taskId, attempt)})
      INSERT INTO task_files (id, task_id, name, mime_type, attempt, state, sweep_after)
      SELECT gen_random_uuid(), id, ${name}, ${mimeType}, ${attempt}::int, 'writing', ${SWEEP_WRITING_AFTER}
      FROM held
      RETURNING id`,
  });
  return row?.id ?? null;
}
