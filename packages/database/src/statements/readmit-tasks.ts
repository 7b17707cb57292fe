import type { AdmittedJob } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { AdmittedRow, toAdmittedJob } from '../rows/admitted-row.ts';
import { IS_FREE, IS_RUNNABLE } from '../rows/open-task.ts';

/**
 * Takes tasks that are due, are held by nobody, and have no job as far as one can tell, and marks them as enqueued now:
 * those that were enqueued long ago, for their jobs may have vanished with Redis, and those whose lease is over, for
 * a job is gone once its task was claimed.
 *
 * Locks the rows it takes and skips those that others hold. Index: tasks_enqueued_at_sweep_idx, from the
 * oldest on. It reads past tasks that wait, are running or not yet due, and those are as many as the windows of the queues,
 * workers' seats and delayed retries.
 *
 * @param staleMs milliseconds since the task was enqueued
 */
export async function readmitTasks(
  runner: SqlRunner,
  staleMs: number,
  limit: number,
): Promise<AdmittedJob[]> {
  const rows = await runner.run({
    name: 'readmit-tasks',
    row: AdmittedRow,
    sql: Prisma.sql`
      WITH picked AS MATERIALIZED (
        SELECT t.id FROM tasks AS t
        WHERE t.enqueued_at IS NOT NULL AND (t.claimed_by IS NOT NULL
            OR t.enqueued_at <= now() - ${staleMs}::float8 * interval '1 ms')
          AND ${IS_RUNNABLE} AND ${IS_FREE}
        ORDER BY t.enqueued_at
        LIMIT ${limit}::int
        FOR NO KEY UPDATE SKIP LOCKED
      )
      UPDATE tasks AS t SET enqueued_at = now() FROM picked WHERE t.id = picked.id
      RETURNING t.id, t.queue`,
  });
  return rows.map(toAdmittedJob);
}
