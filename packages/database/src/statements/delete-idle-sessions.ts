import type { PrincipalId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { principalIdColumn } from '../rows/columns.ts';

const Row = z.object({ principal_id: principalIdColumn });

/**
 * Deletes sessions that nobody used for `idleMs` milliseconds, longest idle first.
 *
 * Locks the rows it takes and skips those that others hold, such as one that is being used again.
 * Index: sessions_last_seen_at_idx, `limit` entries.
 *
 * @returns the principal of each deleted session
 */
export async function deleteIdleSessions(
  runner: SqlRunner,
  idleMs: number,
  limit: number,
): Promise<PrincipalId[]> {
  const rows = await runner.run({
    name: 'delete-idle-sessions',
    row: Row,
    sql: Prisma.sql`
      WITH picked AS MATERIALIZED (
        SELECT id FROM sessions
        WHERE last_seen_at <= now() - ${idleMs}::float8 * interval '1 ms'
        ORDER BY last_seen_at
        LIMIT ${limit}::int
        FOR UPDATE SKIP LOCKED
      )
      DELETE FROM sessions AS s USING picked WHERE s.id = picked.id
      RETURNING s.principal_id`,
  });
  return rows.map((row) => row.principal_id);
}
