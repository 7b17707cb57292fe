import type { InputRequestId, PrincipalId, RemoteTask } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { IS_ALIVE } from '../rows/open-task.ts';

const Row = z.object({ id: z.string() });

/**
 * Notes the task that a client made of a question, or its newest status.
 *
 * Locks the one row (indexes input_requests_pkey, tasks_pkey).
 *
 * @returns false when the question is unknown, answered or somebody else's, or its task has ended
 */
export async function setRemoteTask(
  runner: SqlRunner,
  id: InputRequestId,
  owner: PrincipalId,
  remote: RemoteTask,
): Promise<boolean> {
  const rows = await runner.run({
    name: 'set-remote-task',
    row: Row,
    sql: Prisma.sql`
      UPDATE input_requests AS r SET remote_task = ${JSON.stringify(remote)}::json
      FROM tasks AS t
      WHERE r.id = ${id}::uuid AND r.answered_at IS NULL AND t.id = r.task_id
        AND t.principal_id = ${owner}::uuid AND t.finished_at IS NULL AND ${IS_ALIVE}
      RETURNING r.id`,
  });
  return rows.length > 0;
}
