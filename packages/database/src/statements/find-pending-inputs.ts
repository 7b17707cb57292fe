import type { PendingInput, PrincipalId, TaskId } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { INPUT_COLUMNS, InputRow, IS_PENDING, toPendingInput } from '../rows/input-row.ts';
import { IS_ALIVE } from '../rows/open-task.ts';

/**
 * Reads the questions an owner's task waits for, in the order they were asked. Locks nothing.
 * Indexes: tasks_pkey, input_requests_task_id_event_id_open_idx, so the answered ones are not read.
 */
export async function findPendingInputs(
  runner: SqlRunner,
  taskId: TaskId,
  owner: PrincipalId,
): Promise<PendingInput[]> {
  const rows = await runner.run({
    name: 'find-pending-inputs',
    row: InputRow,
    sql: Prisma.sql`
      SELECT ${INPUT_COLUMNS}
      FROM tasks AS t JOIN input_requests AS r ON ${IS_PENDING}
      WHERE t.id = ${taskId}::uuid AND t.principal_id = ${owner}::uuid AND ${IS_ALIVE}
      ORDER BY r.event_id`,
  });
  return rows.map(toPendingInput);
}
