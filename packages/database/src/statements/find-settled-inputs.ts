import type { InputAnswer, InputRequestId, PrincipalId, TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({
  id: z.custom<InputRequestId>((value) => typeof value === 'string', 'not a uuid column'),
  fate: z.enum(['answered', 'withdrawn']),
});
/** A member can not be picked out of an answer that has a NUL somewhere: Postgres refuses to look. */
const TIMED_OUT = JSON.stringify({ kind: 'timeout' } satisfies InputAnswer);

export type SettledInput = z.infer<typeof Row>;

/**
 * Reads which of a task's questions are not open any more, and why: answered by the client, or withdrawn,
 * which is timed out or left behind by a task that has ended. Locks nothing. Indexes: tasks_pkey,
 * input_requests_pkey.
 */
export async function findSettledInputs(
  runner: SqlRunner,
  taskId: TaskId,
  owner: PrincipalId,
  ids: readonly InputRequestId[],
): Promise<SettledInput[]> {
  return runner.run({
    name: 'find-settled-inputs',
    row: Row,
    sql: Prisma.sql`
      SELECT r.id,
        CASE WHEN r.answered_at IS NULL OR r.response::text = ${TIMED_OUT} THEN 'withdrawn'
          ELSE 'answered' END AS fate
      FROM tasks AS t JOIN input_requests AS r ON r.task_id = t.id
      WHERE t.id = ${taskId}::uuid AND t.principal_id = ${owner}::uuid
        AND r.id = ANY (${ids}::uuid[])
        AND (r.answered_at IS NOT NULL OR t.finished_at IS NOT NULL)`,
  });
}
