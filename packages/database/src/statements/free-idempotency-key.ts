import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { IS_ALIVE } from '../rows/open-task.ts';
import type { CallName } from './find-same-task.ts';

/**
 * Takes an idempotency key from a task that has expired and is not deleted yet: for its owner it exists no
 * more. Locks the one row. Index: tasks_principal_id_tool_name_idempotency_key_key, one probe.
 */
export async function freeIdempotencyKey(
  runner: SqlRunner,
  { owner, toolName, idempotencyKey }: CallName,
): Promise<void> {
  await runner.run({
    name: 'free-idempotency-key',
    row: z.unknown(),
    sql: Prisma.sql`
      UPDATE tasks AS t SET idempotency_key = NULL, arguments_hash = NULL
      WHERE t.principal_id = ${owner}::uuid AND t.tool_name = ${toolName}
        AND t.idempotency_key = ${idempotencyKey} AND NOT (${IS_ALIVE})`,
  });
}
