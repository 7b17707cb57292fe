import type { BatchId, Fence } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { batchIdColumn } from '../rows/columns.ts';
import { lockHeld } from '../rows/open-task.ts';

const Row = z.object({ id: batchIdColumn });

/**
 * Notes that a batch ended early. Locks the rows of the task and of the batch (indexes tasks_pkey,
 * batches_pkey).
 *
 * @returns false when the attempt no longer holds the task
 */
export async function stopBatch(
  runner: SqlRunner,
  fence: Fence,
  batchId: BatchId,
): Promise<boolean> {
  const rows = await runner.run({
    name: 'stop-batch',
    row: Row,
    sql: Prisma.sql`
      WITH held AS MATERIALIZED (${lockHeld(fence)})
      UPDATE batches AS b SET stopped = true FROM held WHERE b.id = ${batchId}::uuid
      RETURNING b.id`,
  });
  return rows.length > 0;
}
