import type { PendingInput, PrincipalId, TaskId } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { INPUT_COLUMNS, InputRow, toPendingInput } from '../rows/input-row.ts';
import { IS_ALIVE } from '../rows/open-task.ts';

/**
 * Reads those of an open task's questions with these keys that nobody has answered, of earlier attempts too:
 * an answer that comes while the next worker starts is kept for it. Locks nothing. Indexes: tasks_pkey,
 * input_requests_task_id_key_key.
 */
export async function findUnansweredInputs(
  runner: SqlRunner,
  taskId: TaskId,
  owner: PrincipalId,
  keys: readonly string[],
): Promise<PendingInput[]> {
  const rows = await runner.run({
    name: 'find-unanswered-inputs',
    row: InputRow,
    sql: Prisma.sql`
      SELECT ${INPUT_COLUMNS}
      FROM tasks AS t JOIN input_requests AS r ON r.task_id = t.id
      WHERE t.id = ${taskId}::uuid AND t.principal_id = ${owner}::uuid AND ${IS_ALIVE}
        AND t.finished_at IS NULL AND r.key = ANY (${keys}::text[]) AND r.answered_at IS NULL
      ORDER BY r.event_id`,
  });
  return rows.map(toPendingInput);
}
