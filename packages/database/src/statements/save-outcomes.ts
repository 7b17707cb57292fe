import type { ChunkProgress, Fence } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { lockHeld } from '../rows/open-task.ts';

const Row = z.object({ position: z.number() });

/**
 * Saves outcomes of a chunk whose task the attempt holds. All of it is set, nothing is added: so it may be
 * said twice.
 *
 * Locks the task's row first (index tasks_pkey), so that no later attempt can start before this is written,
 * then the chunk's (index batch_chunks_pkey).
 *
 * @returns false, with nothing written, when the attempt no longer holds the task
 */
export async function saveOutcomes(
  runner: SqlRunner,
  fence: Fence,
  progress: ChunkProgress,
): Promise<boolean> {
  const rows = await runner.run({
    name: 'save-outcomes',
    row: Row,
    sql: Prisma.sql`
      WITH held AS MATERIALIZED (${lockHeld(fence)})
      UPDATE batch_chunks AS c
      SET outcomes[${progress.save}::int] = ${progress.outcomes}::json,
        done = ${progress.done}::int, failed = ${progress.failed}::int
      FROM held
      WHERE c.batch_id = ${progress.batchId}::uuid AND c.position = ${progress.position}::int
      RETURNING c.position`,
  });
  return rows.length > 0;
}
