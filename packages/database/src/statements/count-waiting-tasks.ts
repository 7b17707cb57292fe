import type { PrincipalId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({ waiting: z.number() });

/**
 * How many open tasks of a principal nobody has claimed, `limit` at most; what tasks have started is no
 * task of its client. Locks nothing. Index:
 * tasks_principal_id_open_idx, an entry for each open task until enough are found.
 *
 * Whether a task is claimed is not in the index, for then every claim would have to write one. That the index
 * leaves out what has a parent also keeps it from being read for the open tasks of other statements, which
 * meet their rows in the order of their ids.
 */
export async function countWaitingTasks(
  runner: SqlRunner,
  owner: PrincipalId,
  limit: number,
): Promise<number> {
  const [row] = await runner.run({
    name: 'count-waiting-tasks',
    row: Row,
    sql: Prisma.sql`
      SELECT count(*)::int AS waiting FROM (
        SELECT FROM tasks AS t
        WHERE t.principal_id = ${owner}::uuid AND t.finished_at IS NULL AND t.claimed_by IS NULL
          AND t.parent_task_id IS NULL
        LIMIT ${limit}::int
      ) AS found`,
  });
  return row?.waiting ?? 0;
}
