import type { BatchTask, PrincipalId, TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { batchIdColumn, jsonObjectColumn } from '../rows/columns.ts';
import { IS_SETTLED, OWNED_CALL } from '../rows/owned-batch.ts';

const Batch = z.object({
  id: batchIdColumn,
  key: z.string(),
  items: z.number(),
  sealed: z.boolean(),
  tool_name: z.string().nullable(),
  arguments: jsonObjectColumn.nullable(),
});

const Row = z.object({
  tool_name: z.string(),
  arguments: jsonObjectColumn,
  is_settled: z.boolean(),
  has_ended: z.boolean(),
  batches: z.array(Batch),
});

/**
 * Reads, for its owner, what a task was called with, and what each of its batches ran, which the task of the
 * batch's first chunk knows. Locks nothing. Indexes: tasks_pkey, batches_task_id_idx, batch_chunks_pkey, a
 * probe per batch.
 *
 * @returns null when the task is unknown, expired or somebody else's
 */
export async function findBatchTask(
  runner: SqlRunner,
  taskId: TaskId,
  owner: PrincipalId,
  mostBatches: number,
): Promise<BatchTask | null> {
  const [row] = await runner.run({
    name: 'find-batch-task',
    row: Row,
    sql: Prisma.sql`
      WITH task AS MATERIALIZED (
        SELECT t.id, t.tool_name, t.arguments, t.finished_at IS NOT NULL AS has_ended,
          ${IS_SETTLED} AS is_settled
        ${OWNED_CALL(taskId, owner)}
      ), batch AS MATERIALIZED (
        SELECT b.id, b.key, b.items, b.sealed, b.created_at
        FROM task JOIN batches AS b ON b.task_id = task.id
        ORDER BY b.created_at, b.id
        LIMIT ${mostBatches}::int
      ), known AS (
        SELECT b.id, b.key, b.items, b.sealed, b.created_at, r.tool_name, r.arguments
        FROM batch AS b LEFT JOIN LATERAL (
          SELECT r.tool_name, r.arguments
          FROM batch_chunks AS c JOIN tasks AS r ON r.id = c.task_id
          WHERE c.batch_id = b.id AND c.position = 0
          OFFSET 0
        ) AS r ON true
      )
      SELECT task.tool_name, task.arguments, task.is_settled, task.has_ended,
        coalesce((SELECT json_agg(k ORDER BY k.created_at, k.id) FROM known AS k), '[]') AS batches
      FROM task`,
  });
  if (row === undefined) return null;
  return {
    toolName: row.tool_name,
    arguments: row.arguments,
    isSettled: row.is_settled,
    hasEnded: row.has_ended,
    batches: row.batches.map(
      ({ id, key, items, sealed, tool_name: toolName, arguments: args }) => ({
        id,
        key,
        items,
        sealed,
        target: toolName === null || args === null ? null : { toolName, arguments: args },
      }),
    ),
  };
}
