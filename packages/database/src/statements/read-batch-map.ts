import type { BatchMap, PrincipalId, TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { IS_SETTLED, OWNED_CALL } from '../rows/owned-batch.ts';

const Row = z.object({
  key: z.string(),
  items: z.number(),
  is_sealed: z.boolean(),
  is_settled: z.boolean(),
  cells: z
    .array(z.object({ size: z.number(), done: z.number(), failed: z.number(), open: z.boolean() }))
    .nullable(),
});

/**
 * Reads a batch of a task as a map of cells, each as many chunks as it takes to have `mostCells` at most. Locks nothing.
 * Indexes: tasks_pkey, batches_task_id_idx, batch_chunks_pkey, all chunks of the batch but none of their items.
 *
 * @param key null: the first one
 * @returns null when the task is unknown, expired or somebody else's, or has no such batch
 */
export async function readBatchMap(
  runner: SqlRunner,
  taskId: TaskId,
  owner: PrincipalId,
  key: string | null,
  mostCells: number,
): Promise<BatchMap | null> {
  const [row] = await runner.run({
    name: 'read-batch-map',
    row: Row,
    sql: Prisma.sql`
      WITH task AS MATERIALIZED (
        SELECT t.id, ${IS_SETTLED} AS is_settled ${OWNED_CALL(taskId, owner)}
      ), batch AS MATERIALIZED (
        SELECT b.id, b.key, b.items, b.chunks, b.sealed, task.is_settled
        FROM task JOIN batches AS b ON b.task_id = task.id
        WHERE ${key}::text IS NULL OR b.key = ${key}::text
        ORDER BY b.created_at, b.id LIMIT 1
      ), cells AS MATERIALIZED (
        SELECT c.position / greatest(1, ceil(batch.chunks::float8 / ${mostCells}::int))::int AS cell,
          sum(c.size)::int AS size, sum(c.done)::int AS done, sum(c.failed)::int AS failed,
          bool_or(c.done + c.failed < c.size) AS open
        FROM batch JOIN batch_chunks AS c ON c.batch_id = batch.id
        GROUP BY 1
      )
      SELECT batch.key, batch.items, batch.sealed AS is_sealed, batch.is_settled,
        (SELECT json_agg(json_build_object('size', c.size, 'done', c.done, 'failed', c.failed, 'open', c.open)
           ORDER BY c.cell) FROM cells AS c) AS cells
      FROM batch`,
  });
  if (row === undefined) return null;
  const cells = row.cells ?? [];
  return {
    key: row.key,
    items: row.items,
    done: cells.reduce((sum, { done }) => sum + done, 0),
    failed: cells.reduce((sum, { failed }) => sum + failed, 0),
    isSealed: row.is_sealed,
    isSettled: row.is_settled,
    cells,
  };
}
