import type { PrincipalId, StoredResult, TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { OWNED_RESULT, RESULT_BYTES } from '../rows/result-bytes.ts';

const Row = z.object({ size: z.number() });

/**
 * Says how long the result of a task is, for its owner; calls without a handle too. Locks nothing. Indexes:
 * tasks_pkey, task_results_pkey.
 *
 * @returns null when the task is unknown, expired or somebody else's, or has not ended with a result
 */
export async function findResult(
  runner: SqlRunner,
  taskId: TaskId,
  owner: PrincipalId,
): Promise<StoredResult | null> {
  const [row] = await runner.run({
    name: 'find-result',
    row: Row,
    sql: Prisma.sql`SELECT octet_length(${RESULT_BYTES}) AS size ${OWNED_RESULT(taskId, owner)}`,
  });
  return row ?? null;
}
