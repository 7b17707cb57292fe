import type { BatchId, ChunkOutcomes } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { CHUNK_OUTCOMES, ChunkOutcomesRow, toChunkOutcomes } from '../rows/chunk-row.ts';

/**
 * Reads the outcomes of some chunks, in order. Locks nothing. Index: batch_chunks_pkey in its own order, from
 * the position on.
 */
export async function readOutcomes(
  runner: SqlRunner,
  batchId: BatchId,
  position: number,
  limit: number,
): Promise<ChunkOutcomes[]> {
  const rows = await runner.run({
    name: 'read-outcomes',
    row: ChunkOutcomesRow,
    sql: Prisma.sql`
      SELECT ${CHUNK_OUTCOMES} FROM batch_chunks AS c
      WHERE c.batch_id = ${batchId}::uuid AND c.position >= ${position}::int
      ORDER BY c.batch_id, c.position
      LIMIT ${limit}::int`,
  });
  return rows.map(toChunkOutcomes);
}
