import type { PrincipalId, TaskCall, TaskId } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { jsonObjectColumn } from '../rows/columns.ts';
import { OWNED_CALL } from '../rows/owned-batch.ts';
import { TASK_COLUMNS, TaskRow, toTask } from '../rows/task-row.ts';

const Row = TaskRow.extend({ arguments: jsonObjectColumn });

/**
 * Reads, for its owner, a task with a handle and what its tool was called with. Locks nothing. Index: tasks_pkey.
 *
 * @returns null when the task is unknown, expired, somebody else's, or a call without a handle
 */
export async function findCall(
  runner: SqlRunner,
  id: TaskId,
  owner: PrincipalId,
): Promise<TaskCall | null> {
  const [row] = await runner.run({
    name: 'find-call',
    row: Row,
    sql: Prisma.sql`
      SELECT ${TASK_COLUMNS}, t.arguments ${OWNED_CALL(id, owner)} AND t.listed`,
  });
  return row === undefined ? null : { task: toTask(row), arguments: row.arguments };
}
