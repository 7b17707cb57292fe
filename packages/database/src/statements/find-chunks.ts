import type { BatchId, ChunkState } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { CHUNK_STATE, ChunkStateRow, toChunkState } from '../rows/chunk-row.ts';

/**
 * Says how some chunks stand. Locks nothing. Indexes: batch_chunks_pkey and tasks_pkey, one probe each.
 *
 * @returns in order
 */
export async function findChunks(
  runner: SqlRunner,
  batchId: BatchId,
  positions: readonly number[],
): Promise<ChunkState[]> {
  const rows = await runner.run({
    name: 'find-chunks',
    row: ChunkStateRow,
    sql: Prisma.sql`
      SELECT ${CHUNK_STATE}
      FROM unnest(${positions}::int[]) AS i (position)
      JOIN batch_chunks AS c ON c.batch_id = ${batchId}::uuid AND c.position = i.position
      LEFT JOIN tasks AS t ON t.id = c.task_id
      ORDER BY c.position`,
  });
  return rows.map(toChunkState);
}
