import { type CancelOutcome, itemsUri, type PrincipalId, type TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { workerIdColumn } from '../rows/columns.ts';
import { IS_ALIVE, SET_UNCLAIMED } from '../rows/open-task.ts';
import { TASK_COLUMNS, TaskRow, toTask } from '../rows/task-row.ts';

const Row = TaskRow.extend({
  was_open: z.boolean(),
  worker_id: workerIdColumn.nullable(),
  queue: z.string(),
});

export interface CancelTaskInput {
  readonly id: TaskId;
  readonly owner: PrincipalId;
  /** True for tasks with a handle, false for calls without one. */
  readonly listed: boolean;
}

/**
 * Ends an open task as cancelled, with its `cancelled` event.
 *
 * Locks the one row (index tasks_pkey) before it looks at the state. A finish or another cancel that holds
 * the row is waited for, and then its state is what counts: exactly one of them ends the task, and the
 * others see that end. `worker_id` is of before the cancel, so that the worker can be told.
 *
 * What a task with batches has told of its items is taken back: it was told now and then, while chunks went on being
 * saved, and from here on nobody but they says how many items are done. Index: batches_task_id_idx.
 */
export async function cancelTask(
  runner: SqlRunner,
  { id, owner, listed }: CancelTaskInput,
): Promise<CancelOutcome> {
  const [row] = await runner.run({
    name: 'cancel-task',
    row: Row,
    sql: Prisma.sql`
      WITH target AS MATERIALIZED (
        SELECT t.*, CASE WHEN t.lease_expires_at > now() THEN t.claimed_by END AS worker_id,
          EXISTS (SELECT FROM batches AS b WHERE b.task_id = t.id) AS has_items
        FROM tasks AS t
        WHERE t.id = ${id}::uuid AND t.principal_id = ${owner}::uuid AND t.listed = ${listed}
          AND ${IS_ALIVE}
        FOR NO KEY UPDATE
      ), cancelled AS (
        UPDATE tasks AS t
        SET state = 'cancelled', finished_at = now(), updated_at = now(), ${SET_UNCLAIMED},
          status_message = CASE WHEN has_items THEN ${`Cancelled. Its items: ${itemsUri(id)}`}
            ELSE t.status_message END,
          progress = CASE WHEN NOT has_items THEN t.progress END,
          progress_total = CASE WHEN NOT has_items THEN t.progress_total END,
          progress_message = CASE WHEN NOT has_items THEN t.progress_message END
        FROM target
        WHERE t.id = target.id AND target.finished_at IS NULL
        RETURNING t.*, target.worker_id
      ), event AS (
        INSERT INTO task_events (task_id, kind, attempt)
        SELECT id, 'cancelled', nullif(attempt, 0) FROM cancelled
      )
      SELECT ${TASK_COLUMNS}, t.queue, true AS was_open, t.worker_id FROM cancelled AS t
      UNION ALL
      SELECT ${TASK_COLUMNS}, t.queue, false, NULL FROM target AS t WHERE t.finished_at IS NOT NULL`,
  });
  if (row === undefined) return { kind: 'not_found' };
  const task = toTask(row);
  return row.was_open
    ? { kind: 'cancelled', task, workerId: row.worker_id, queue: row.queue, descendants: [] }
    : { kind: 'already_terminal', task };
}
