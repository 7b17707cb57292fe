import type { Task, TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { TASK_COLUMNS, TaskRow, toTask } from '../rows/task-row.ts';

const Row = TaskRow.extend({ remaining: z.number() });

/**
 * Sets a task to working again when its current attempt has no open question any more.
 *
 * To be run after a lock of the task and after the answers were stored. Indexes: tasks_pkey,
 * input_requests_task_id_event_id_open_idx.
 *
 * @returns the task as it is now, and its open questions
 */
export async function settleInputs(
  runner: SqlRunner,
  taskId: TaskId,
): Promise<{ readonly task: Task; readonly remaining: number }> {
  const [row] = await runner.run({
    name: 'settle-inputs',
    row: Row,
    sql: Prisma.sql`
      WITH open AS MATERIALIZED (
        SELECT count(*)::int AS remaining
        FROM tasks AS t JOIN input_requests AS r ON r.task_id = t.id AND r.attempt = t.attempt
        WHERE t.id = ${taskId}::uuid AND r.answered_at IS NULL AND t.finished_at IS NULL
      ), settled AS (
        UPDATE tasks AS t SET state = 'working', updated_at = now()
        FROM open
        WHERE t.id = ${taskId}::uuid AND t.state = 'input_required' AND open.remaining = 0
        RETURNING t.*
      )
      SELECT ${TASK_COLUMNS}, open.remaining FROM settled AS t, open
      UNION ALL
      SELECT ${TASK_COLUMNS}, open.remaining FROM tasks AS t, open
      WHERE t.id = ${taskId}::uuid AND NOT EXISTS (SELECT FROM settled)`,
  });
  if (row === undefined) throw new Error('settle-inputs returned no row');
  return { task: toTask(row), remaining: row.remaining };
}
