import type { OutcomeKind, Progress, TaskId, WorkerId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { taskIdColumn } from '../rows/columns.ts';
import { inIdOrder } from '../rows/in-id-order.ts';
import { isHeldBy, SET_PROGRESS, SET_UNCLAIMED } from '../rows/open-task.ts';
import { progressColumns } from '../rows/progress-columns.ts';

export interface FinishRow {
  readonly id: TaskId;
  readonly attempt: number;
  readonly workerId: WorkerId;
  readonly outcomeKind: OutcomeKind;
  readonly toolVersion: string | null;
  /** JSON text: what clients get. */
  readonly payload: string;
  /** JSON in UTF-8: the whole, when `payload` is a preview. */
  readonly body: Uint8Array | null;
  readonly progress: Progress | null;
  readonly statusMessage: string | null;
}

const Row = z.object({ id: taskIdColumn });

/**
 * Writes outcome and terminal state of each task that the attempt still holds, with its result and its
 * `finished` event. A task that another one started gets its result whole, for it is the parent that reads it.
 *
 * Locks the rows in the order of their ids (index tasks_pkey, one probe each). A task that was cancelled,
 * failed by maintenance or claimed again keeps its state, gets no result, and is missing in the answer.
 *
 * @param rows each task once
 * @returns the tasks that this finished
 */
export async function finishTasks(
  runner: SqlRunner,
  rows: readonly FinishRow[],
): Promise<ReadonlySet<TaskId>> {
  const sorted = inIdOrder(rows);
  const finished = await runner.run({
    name: 'finish-tasks',
    row: Row,
    sql: Prisma.sql`
      WITH finished AS (
        UPDATE tasks AS t
        SET state = 'finished', outcome_kind = i.outcome_kind, tool_version = i.tool_version, finished_at = now(), updated_at = now(),
            status_message = coalesce(i.status_message, t.status_message),
            ${SET_PROGRESS}, ${SET_UNCLAIMED}
        FROM unnest(
          ${sorted.map(({ id }) => id)}::uuid[], ${sorted.map(({ attempt }) => attempt)}::int[],
          ${sorted.map(({ workerId }) => workerId)}::uuid[],
          ${sorted.map(({ outcomeKind }) => outcomeKind)}::text[],
          ${sorted.map(({ toolVersion }) => toolVersion)}::text[],
          ${sorted.map(({ payload }) => payload)}::json[],
          ${sorted.map(({ body }) => body)}::bytea[], ${progressColumns(sorted)}
        ) AS i (
          id, attempt, worker_id, outcome_kind, tool_version, payload, body,
          progress, progress_total, progress_message, status_message
        )
        WHERE t.id = i.id AND ${isHeldBy(Prisma.sql`i.attempt`, Prisma.sql`i.worker_id`)}
        RETURNING t.id, t.attempt, t.outcome_kind, i.payload, i.body,
          t.parent_task_id IS NOT NULL AND i.body IS NOT NULL AS is_whole
      ), result AS (
        INSERT INTO task_results (task_id, payload, body)
        SELECT id, CASE WHEN is_whole THEN convert_from(body, 'UTF8')::json ELSE payload END,
          CASE WHEN NOT is_whole THEN body END
        FROM finished
      ), event AS (
        INSERT INTO task_events (task_id, kind, attempt, data)
        SELECT id, 'finished', attempt, json_build_object('outcome', outcome_kind) FROM finished
      )
      SELECT id FROM finished`,
  });
  return new Set(finished.map(({ id }) => id));
}
