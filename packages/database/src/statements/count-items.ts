import type { BatchId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({ done: z.number(), failed: z.number() });

/**
 * Counts the items that have an outcome, of all chunks of a batch but some. Locks nothing. Index:
 * batch_chunks_pkey, all chunks of the batch.
 */
export async function countItems(
  runner: SqlRunner,
  batchId: BatchId,
  but: readonly number[],
): Promise<{ readonly done: number; readonly failed: number }> {
  const [row] = await runner.run({
    name: 'count-items',
    row: Row,
    sql: Prisma.sql`
      SELECT coalesce(sum(c.done), 0)::float8 AS done, coalesce(sum(c.failed), 0)::float8 AS failed
      FROM batch_chunks AS c
      WHERE c.batch_id = ${batchId}::uuid AND c.position <> ALL (${but}::int[])`,
  });
  if (row === undefined) throw new Error('count-items returned no row');
  return row;
}
