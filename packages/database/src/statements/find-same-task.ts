import type { PrincipalId, Task } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { IS_ALIVE } from '../rows/open-task.ts';
import { TASK_COLUMNS, TaskRow, toTask } from '../rows/task-row.ts';

/** What names a call, whoever sends it again. */
export interface CallName {
  readonly owner: PrincipalId;
  readonly toolName: string;
  readonly idempotencyKey: string;
}

const Row = TaskRow.extend({ arguments_hash: z.string() });

/**
 * The owner's task of the tool that has the idempotency key, whether it has a handle or not. Locks nothing.
 * Index: tasks_principal_id_tool_name_idempotency_key_key, one probe.
 *
 * @returns with the digest of its arguments; null when there is none, or it has expired
 */
export async function findSameTask(
  runner: SqlRunner,
  { owner, toolName, idempotencyKey }: CallName,
): Promise<{ readonly task: Task; readonly argumentsHash: string } | null> {
  const [row] = await runner.run({
    name: 'find-same-task',
    row: Row,
    sql: Prisma.sql`
      SELECT ${TASK_COLUMNS}, t.arguments_hash FROM tasks AS t
      WHERE t.principal_id = ${owner}::uuid AND t.tool_name = ${toolName}
        AND t.idempotency_key = ${idempotencyKey} AND ${IS_ALIVE}`,
  });
  return row === undefined ? null : { task: toTask(row), argumentsHash: row.arguments_hash };
}
