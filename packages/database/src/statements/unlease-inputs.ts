import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

/**
 * Takes back the questions a stream has.
 *
 * Locks them in the order of their ids (indexes input_requests_stream_id_open_idx, input_requests_pkey). One
 * that is answered or leased to another stream at this moment is waited for and then left alone.
 */
export async function unleaseInputs(runner: SqlRunner, streamId: string): Promise<void> {
  await runner.run({
    name: 'unlease-inputs',
    row: z.unknown(),
    sql: Prisma.sql`
      WITH leased AS MATERIALIZED (
        SELECT id FROM input_requests
        WHERE stream_id = ${streamId}::uuid AND answered_at IS NULL
        ORDER BY id
        FOR NO KEY UPDATE
      )
      UPDATE input_requests AS r SET stream_id = NULL, stream_lease_expires_at = NULL
      FROM leased WHERE r.id = leased.id`,
  });
}
