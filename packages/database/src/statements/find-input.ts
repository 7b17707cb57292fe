import type { InputRequestId, OwnedInput, PrincipalId } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { taskIdColumn } from '../rows/columns.ts';
import { INPUT_COLUMNS, InputRow, toPendingInput } from '../rows/input-row.ts';
import { IS_ALIVE } from '../rows/open-task.ts';

const Row = InputRow.extend({ task_id: taskIdColumn });

/**
 * Reads an unanswered question of an open task by its own id. Not bound to the current attempt: an answer
 * that comes while the next worker starts is kept for it. Locks nothing. Indexes: input_requests_pkey,
 * tasks_pkey.
 */
export async function findInput(
  runner: SqlRunner,
  id: InputRequestId,
  owner: PrincipalId,
): Promise<OwnedInput | null> {
  const [row] = await runner.run({
    name: 'find-input',
    row: Row,
    sql: Prisma.sql`
      SELECT ${INPUT_COLUMNS}, r.task_id
      FROM input_requests AS r JOIN tasks AS t ON t.id = r.task_id
      WHERE r.id = ${id}::uuid AND r.answered_at IS NULL AND t.finished_at IS NULL
        AND t.principal_id = ${owner}::uuid AND ${IS_ALIVE}`,
  });
  return row === undefined ? null : { taskId: row.task_id, input: toPendingInput(row) };
}
