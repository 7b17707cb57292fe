import type { BatchId, OwnedBatches, PrincipalId, TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { batchIdColumn } from '../rows/columns.ts';
import { IS_SETTLED, OWNED_CALL } from '../rows/owned-batch.ts';

const Row = z.object({
  is_settled: z.boolean(),
  are_several: z.boolean(),
  batches: z.array(z.object({ id: batchIdColumn, key: z.string() })),
});

/**
 * Names the batches of a task for its owner, the oldest first, from one on. Locks nothing. Indexes: tasks_pkey,
 * batches_task_id_idx, tasks_parent_task_id_open_idx.
 *
 * @returns null when the task is unknown, expired or somebody else's, or has no such batch
 */
export async function findBatches(
  runner: SqlRunner,
  input: {
    readonly taskId: TaskId;
    readonly owner: PrincipalId;
    readonly key: string | null;
    readonly from: BatchId | null;
    readonly limit: number;
  },
): Promise<OwnedBatches | null> {
  const { taskId, owner, key, from, limit } = input;
  const [row] = await runner.run({
    name: 'find-batches',
    row: Row,
    sql: Prisma.sql`
      WITH task AS MATERIALIZED (
        SELECT t.id, ${IS_SETTLED} AS is_settled ${OWNED_CALL(taskId, owner)}
      ), batch AS MATERIALIZED (
        SELECT b.id, b.key, b.created_at FROM task JOIN batches AS b ON b.task_id = task.id
      ), wanted AS (
        SELECT b.id, b.key, b.created_at FROM batch AS b
        WHERE (${key}::text IS NULL OR b.key = ${key}) AND (
          ${from}::uuid IS NULL OR (b.created_at, b.id) >= (
            SELECT f.created_at, f.id FROM batch AS f WHERE f.id = ${from}::uuid
          )
        )
        ORDER BY b.created_at, b.id
        LIMIT ${limit}::int
      )
      SELECT task.is_settled, ${key}::text IS NULL AND (SELECT count(*) FROM batch) > 1 AS are_several,
        (SELECT json_agg(json_build_object('id', w.id, 'key', w.key) ORDER BY w.created_at, w.id)
          FROM wanted AS w) AS batches
      FROM task WHERE EXISTS (SELECT FROM wanted)`,
  });
  if (row === undefined) return null;
  return { isSettled: row.is_settled, areSeveral: row.are_several, batches: row.batches };
}
