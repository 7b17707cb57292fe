import type { BatchId, BatchState, Fence } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { batchIdColumn } from '../rows/columns.ts';
import { lockHeld } from '../rows/open-task.ts';

const Row = z.object({
  id: batchIdColumn,
  chunks: z.number(),
  items: z.number(),
  sealed: z.boolean(),
  stopped: z.boolean(),
});

/**
 * Makes a batch of a task that the attempt holds, or finds the one an earlier attempt made.
 *
 * Locks the task's row (index tasks_pkey), then at most the batch's (index batches_pkey).
 *
 * @returns null when the attempt no longer holds the task
 */
export async function openBatch(
  runner: SqlRunner,
  input: {
    readonly fence: Fence;
    readonly id: BatchId;
    readonly key: string;
  },
): Promise<BatchState | null> {
  const [row] = await runner.run({
    name: 'open-batch',
    row: Row,
    sql: Prisma.sql`
      WITH held AS MATERIALIZED (${lockHeld(input.fence, Prisma.sql`t.id, t.expires_at`)}), made AS (
        INSERT INTO batches (id, task_id, key, expires_at)
        SELECT ${input.id}::uuid, id, ${input.key}, expires_at FROM held
        ON CONFLICT (id) DO NOTHING
        RETURNING id, chunks, items, sealed, stopped
      )
      SELECT id, chunks, items, sealed, stopped FROM made
      UNION ALL
      SELECT b.id, b.chunks, b.items, b.sealed, b.stopped
      FROM held JOIN batches AS b ON b.id = ${input.id}::uuid`,
  });
  return row ?? null;
}
