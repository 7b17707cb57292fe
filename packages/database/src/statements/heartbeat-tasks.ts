import type { HeartbeatReport, TaskId, WorkerId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { taskIdColumn } from '../rows/columns.ts';
import { inIdOrder } from '../rows/in-id-order.ts';
import { IS_RUNNABLE, isHeldBy, SET_PROGRESS } from '../rows/open-task.ts';
import { progressColumns } from '../rows/progress-columns.ts';

const Row = z.object({ id: taskIdColumn });

/**
 * Renews the leases of a worker's attempts and stores what they report.
 *
 * Locks the rows in the order of their ids (index tasks_pkey, one probe each). A row that a cancel, a finish
 * or a later attempt took is left alone and missing in the answer. No event: reports are many.
 *
 * @returns the tasks that the worker still runs
 */
export async function heartbeatTasks(
  runner: SqlRunner,
  workerId: WorkerId,
  leaseMs: number,
  reports: readonly HeartbeatReport[],
): Promise<ReadonlySet<TaskId>> {
  const sorted = inIdOrder(reports.map((report) => ({ id: report.taskId, ...report })));
  const rows = await runner.run({
    name: 'heartbeat-tasks',
    row: Row,
    sql: Prisma.sql`
      UPDATE tasks AS t
      SET lease_expires_at = now() + ${leaseMs}::float8 * interval '1 ms',
          updated_at = CASE
            WHEN i.progress IS NULL AND i.status_message IS NULL THEN t.updated_at ELSE now() END,
          status_message = coalesce(i.status_message, t.status_message),
          ${SET_PROGRESS}
      FROM unnest(
        ${sorted.map(({ id }) => id)}::uuid[], ${sorted.map(({ attempt }) => attempt)}::int[],
        ${progressColumns(sorted)}
      ) AS i (id, attempt, progress, progress_total, progress_message, status_message)
      WHERE t.id = i.id AND ${isHeldBy(Prisma.sql`i.attempt`, Prisma.sql`${workerId}::uuid`)}
        AND ${IS_RUNNABLE}
      RETURNING t.id`,
  });
  return new Set(rows.map(({ id }) => id));
}
