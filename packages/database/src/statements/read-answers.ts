import type { InputAnswer, TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { answerColumn } from '../rows/input-row.ts';

const Row = z.object({ key: z.string(), response: answerColumn });

/**
 * Reads the answers to some of a task's questions, as a task may have had thousands of them before. Locks
 * nothing. Index: input_requests_task_id_key_key, one probe each.
 *
 * @returns by key, those that are there
 */
export async function readAnswers(
  runner: SqlRunner,
  taskId: TaskId,
  keys: readonly string[],
): Promise<ReadonlyMap<string, InputAnswer>> {
  const rows = await runner.run({
    name: 'read-answers',
    row: Row,
    sql: Prisma.sql`
      SELECT r.key, r.response FROM input_requests AS r
      WHERE r.task_id = ${taskId}::uuid AND r.key = ANY (${keys}::text[])
        AND r.answered_at IS NOT NULL`,
  });
  return new Map(rows.map(({ key, response }) => [key, response]));
}
