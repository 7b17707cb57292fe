import type { CountedBatches, PrincipalId, TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { batchIdColumn } from '../rows/columns.ts';
import { IS_SETTLED, OWNED_CALL } from '../rows/owned-batch.ts';

const Batch = z.object({
  id: batchIdColumn,
  key: z.string(),
  items: z.number(),
  done: z.number(),
  failed: z.number(),
  stopped: z.boolean(),
  tool_name: z.string().nullable(),
});

const Row = z.object({ is_settled: z.boolean(), batches: z.array(Batch) });

/**
 * Counts, for its owner, what came of the items of each batch of a task, and says what they are for, which the task of the
 * first chunk knows. Locks nothing. Indexes: tasks_pkey,
 * tasks_parent_task_id_open_idx, batches_task_id_idx; batch_chunks_pkey, all chunks of the batches.
 *
 * @returns null when the task is unknown, expired or somebody else's
 */
export async function summarizeBatches(
  runner: SqlRunner,
  taskId: TaskId,
  owner: PrincipalId,
  mostBatches: number,
): Promise<CountedBatches | null> {
  const [row] = await runner.run({
    name: 'summarize-batches',
    row: Row,
    sql: Prisma.sql`
      WITH task AS MATERIALIZED (
        SELECT t.id, ${IS_SETTLED} AS is_settled ${OWNED_CALL(taskId, owner)}
      ), batch AS MATERIALIZED (
        SELECT b.id, b.key, b.items, b.stopped, b.created_at
        FROM task JOIN batches AS b ON b.task_id = task.id
        ORDER BY b.created_at, b.id
        LIMIT ${mostBatches}::int
      ), counted AS (
        SELECT b.*, c.done, c.failed, r.tool_name
        FROM batch AS b CROSS JOIN LATERAL (
          SELECT coalesce(sum(c.done), 0) AS done, coalesce(sum(c.failed), 0) AS failed,
            (array_agg(c.task_id) FILTER (WHERE c.position = 0))[1] AS first_task
          FROM batch_chunks AS c WHERE c.batch_id = b.id
        ) AS c LEFT JOIN tasks AS r ON r.id = c.first_task
      )
      SELECT task.is_settled,
        coalesce((SELECT json_agg(c ORDER BY c.created_at, c.id) FROM counted AS c), '[]') AS batches
      FROM task`,
  });
  if (row === undefined) return null;
  return {
    isSettled: row.is_settled,
    batches: row.batches.map(({ tool_name: toolName, ...batch }) => ({ ...batch, toolName })),
  };
}
