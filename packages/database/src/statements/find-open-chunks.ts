import type { BatchId, ChunkState } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { CHUNK_STATE, ChunkStateRow, toChunkState } from '../rows/chunk-row.ts';

/**
 * Names the chunks of a batch that have items without an outcome, in order. Locks nothing. Indexes:
 * batch_chunks_pkey, all chunks of the batch, and tasks_pkey. For a batch that goes on after a crash.
 */
export async function findOpenChunks(runner: SqlRunner, batchId: BatchId): Promise<ChunkState[]> {
  const rows = await runner.run({
    name: 'find-open-chunks',
    row: ChunkStateRow,
    sql: Prisma.sql`
      SELECT ${CHUNK_STATE}
      FROM batch_chunks AS c LEFT JOIN tasks AS t ON t.id = c.task_id
      WHERE c.batch_id = ${batchId}::uuid AND c.done + c.failed < c.size
      ORDER BY c.batch_id, c.position`,
  });
  return rows.map(toChunkState);
}
