import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({ deleted: z.number() });

/**
 * Deletes chunks of batches past their ttl, and batches that have no chunk left.
 *
 * Locks the rows it takes; batches that others hold are skipped. Indexes: batches_expires_at_idx from the
 * earliest on, batch_chunks_pkey, `limit` entries.
 *
 * @returns how many chunks and batches
 */
export async function deleteExpiredBatches(runner: SqlRunner, limit: number): Promise<number> {
  const [row] = await runner.run({
    name: 'delete-expired-batches',
    row: Row,
    sql: Prisma.sql`
      WITH expired AS MATERIALIZED (
        SELECT b.id FROM batches AS b WHERE b.expires_at <= now()
        ORDER BY b.expires_at
        LIMIT ${limit}::int
        FOR UPDATE SKIP LOCKED
      ), picked AS MATERIALIZED (
        SELECT c.batch_id, c.position
        FROM expired AS b CROSS JOIN LATERAL (
          SELECT c.batch_id, c.position FROM batch_chunks AS c WHERE c.batch_id = b.id
          ORDER BY c.batch_id, c.position
          LIMIT ${limit}::int
        ) AS c
        LIMIT ${limit}::int
      ), chunk AS (
        DELETE FROM batch_chunks AS c USING picked AS p
        WHERE c.batch_id = p.batch_id AND c.position = p.position
        RETURNING 1
      ), batch AS (
        DELETE FROM batches AS b USING expired AS e
        WHERE b.id = e.id AND NOT EXISTS (SELECT FROM batch_chunks AS c WHERE c.batch_id = b.id)
        RETURNING 1
      )
      SELECT ((SELECT count(*) FROM chunk) + (SELECT count(*) FROM batch))::int AS deleted`,
  });
  return row?.deleted ?? 0;
}
