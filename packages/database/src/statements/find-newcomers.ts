import type { NewcomerTask } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { principalIdColumn, taskIdColumn, workMethodColumn } from '../rows/columns.ts';
import { IS_WAITING_FOR_WORKER } from '../rows/open-task.ts';

const Row = z.object({
  id: taskIdColumn,
  principal_id: principalIdColumn,
  request_method: workMethodColumn,
  tool_name: z.string(),
});

/** A worker that is free may have the job in its hands; those that are not have the time. */
const WAITED_MS = 200;

/**
 * Finds the oldest task that waits for a worker of each principal that runs nothing of this queue. What runs is
 * claimed, within its lease, waits for no answer and has no open child: that is how a worker gives seats away.
 *
 * The relay admits a first task of every principal, so the backlog is not looked at. Locks nothing. Indexes:
 * tasks_admitted_idx or tasks_enqueued_at_sweep_idx, twice, all that waits and runs, the window at most;
 * tasks_parent_task_id_open_idx, a probe for each that runs.
 */
export async function findNewcomers(
  runner: SqlRunner,
  queue: string,
  limit: number,
): Promise<NewcomerTask[]> {
  const rows = await runner.run({
    name: 'find-newcomers',
    row: Row,
    sql: Prisma.sql`
      WITH seated AS MATERIALIZED (
        SELECT DISTINCT t.principal_id FROM tasks AS t
        WHERE t.queue = ${queue}::text AND t.finished_at IS NULL AND t.enqueued_at IS NOT NULL
          AND t.run_after IS NULL AND t.claimed_by IS NOT NULL AND t.lease_expires_at > now()
          AND t.state <> 'input_required'
          AND NOT EXISTS (
            SELECT FROM tasks AS c WHERE c.parent_task_id = t.id AND c.finished_at IS NULL)
      ), firsts AS (
        SELECT DISTINCT ON (t.principal_id) t.id, t.principal_id, t.request_method, t.tool_name, t.created_at
        FROM tasks AS t
        WHERE t.queue = ${queue}::text AND ${IS_WAITING_FOR_WORKER}
          AND t.enqueued_at < now() - ${WAITED_MS}::float8 * interval '1 ms'
          AND t.principal_id NOT IN (SELECT principal_id FROM seated)
        ORDER BY t.principal_id, t.created_at
      )
      SELECT id, principal_id, request_method, tool_name FROM firsts ORDER BY created_at LIMIT ${limit}::int`,
  });
  return rows.map((row) => ({
    taskId: row.id,
    principalId: row.principal_id,
    requestMethod: row.request_method,
    toolName: row.tool_name,
  }));
}
