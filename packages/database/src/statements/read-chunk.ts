import type { BatchId, ChunkContent, JsonValue } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { CHUNK_OUTCOMES, ChunkOutcomesRow, toChunkOutcomes } from '../rows/chunk-row.ts';

const Row = ChunkOutcomesRow.extend({ items: z.custom<readonly JsonValue[]>(Array.isArray) });

/** Reads a chunk whole. Locks nothing. Index: batch_chunks_pkey, one probe. */
export async function readChunk(
  runner: SqlRunner,
  batchId: BatchId,
  position: number,
): Promise<ChunkContent | null> {
  const [row] = await runner.run({
    name: 'read-chunk',
    row: Row,
    sql: Prisma.sql`
      SELECT ${CHUNK_OUTCOMES}, c.items FROM batch_chunks AS c
      WHERE c.batch_id = ${batchId}::uuid AND c.position = ${position}::int`,
  });
  if (row === undefined) return null;
  return { ...toChunkOutcomes(row), items: row.items, saves: row.outcomes.length };
}
