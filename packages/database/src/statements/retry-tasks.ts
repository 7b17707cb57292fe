import type { TaskId, WorkerId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { taskIdColumn } from '../rows/columns.ts';
import { inIdOrder } from '../rows/in-id-order.ts';
import { isHeldBy, SET_UNCLAIMED } from '../rows/open-task.ts';

export interface RetryRow {
  readonly id: TaskId;
  readonly attempt: number;
  readonly workerId: WorkerId;
  readonly error: string;
  readonly retryInMs: number;
}

const Row = z.object({ id: taskIdColumn });

/**
 * Gives tasks back after a failed attempt, due later, with a `retried` event that keeps the error.
 *
 * Locks the rows in the order of their ids (index tasks_pkey, one probe each). A task that the attempt no
 * longer holds is left alone and missing in the answer.
 *
 * @param rows each task once
 * @returns the tasks that were given back
 */
export async function retryTasks(
  runner: SqlRunner,
  rows: readonly RetryRow[],
): Promise<ReadonlySet<TaskId>> {
  const sorted = inIdOrder(rows);
  const retried = await runner.run({
    name: 'retry-tasks',
    row: Row,
    sql: Prisma.sql`
      WITH retried AS (
        UPDATE tasks AS t
        SET state = 'working', failures = t.failures + 1, run_after = now() + i.retry_in_ms * interval '1 ms',
            updated_at = now(), ${SET_UNCLAIMED}
        FROM unnest(
          ${sorted.map(({ id }) => id)}::uuid[], ${sorted.map(({ attempt }) => attempt)}::int[],
          ${sorted.map(({ workerId }) => workerId)}::uuid[], ${sorted.map(({ error }) => error)}::text[],
          ${sorted.map(({ retryInMs }) => retryInMs)}::float8[]
        ) AS i (id, attempt, worker_id, error, retry_in_ms)
        WHERE t.id = i.id AND ${isHeldBy(Prisma.sql`i.attempt`, Prisma.sql`i.worker_id`)}
        RETURNING t.id, t.attempt, i.error, i.retry_in_ms
      ), event AS (
        INSERT INTO task_events (task_id, kind, attempt, data)
        SELECT id, 'retried', attempt, json_build_object('error', error, 'retryInMs', retry_in_ms)
        FROM retried
      )
      SELECT id FROM retried`,
  });
  return new Set(retried.map(({ id }) => id));
}
