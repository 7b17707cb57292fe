import type { BatchId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({ done: z.number(), failed: z.number() });

/** Counts the items of a batch that have an outcome. Locks nothing. Index: batch_chunks_pkey. */
export async function countItems(
  runner: SqlRunner,
  batchId: BatchId,
): Promise<{ readonly done: number; readonly failed: number }> {
  const [row] = await runner.run({
    name: 'count-items',
    row: Row,
    sql: Prisma.sql`
      SELECT coalesce(sum(c.done), 0)::float8 AS done, coalesce(sum(c.failed), 0)::float8 AS failed
      FROM batch_chunks AS c WHERE c.batch_id = ${batchId}::uuid`,
  });
  if (row === undefined) throw new Error('count-items returned no row');
  return row;
}
