import type { PrincipalId, TaskId, WorkerId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { workerIdColumn } from '../rows/columns.ts';
import { IS_ALIVE } from '../rows/open-task.ts';

const Row = z.object({ worker_id: workerIdColumn.nullable() });

/**
 * Locks an owner's task until the transaction ends (see lock-attempt). Index: tasks_pkey.
 *
 * @returns who runs it, null when nobody does; or null when it is unknown, expired or somebody else's
 */
export async function lockOwnedTask(
  runner: SqlRunner,
  id: TaskId,
  owner: PrincipalId,
): Promise<{ readonly workerId: WorkerId | null } | null> {
  const [row] = await runner.run({
    name: 'lock-owned-task',
    row: Row,
    sql: Prisma.sql`
      SELECT CASE WHEN t.lease_expires_at > now() THEN t.claimed_by END AS worker_id
      FROM tasks AS t
      WHERE t.id = ${id}::uuid AND t.principal_id = ${owner}::uuid AND ${IS_ALIVE}
      FOR NO KEY UPDATE`,
  });
  return row === undefined ? null : { workerId: row.worker_id };
}
