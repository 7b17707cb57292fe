import type { PrincipalId, TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { OWNED_RESULT, RESULT_BYTES } from '../rows/result-bytes.ts';

const Row = z.object({ bytes: z.instanceof(Uint8Array) });

/**
 * Reads a part of the result of a task, for its owner. Locks nothing. Indexes: tasks_pkey, task_results_pkey.
 * Of a large result Postgres fetches just the pages of the part: its storage is EXTERNAL.
 *
 * @param start of the first byte, 0 or more
 * @returns null as find-result does
 */
export async function readResult(
  runner: SqlRunner,
  taskId: TaskId,
  owner: PrincipalId,
  start: number,
  length: number,
): Promise<Uint8Array | null> {
  const [row] = await runner.run({
    name: 'read-result',
    row: Row,
    sql: Prisma.sql`
      SELECT substring(${RESULT_BYTES} FROM ${start + 1}::int FOR ${length}::int) AS bytes
      ${OWNED_RESULT(taskId, owner)}`,
  });
  return row?.bytes ?? null;
}
