import type { SessionId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

/**
 * Notes that sessions are in use, unless that was noted within half a minute. Locks the rows it writes, in the
 * order of their ids (index sessions_pkey; the time is written so that no other serves).
 */
export async function touchSessions(runner: SqlRunner, ids: readonly SessionId[]): Promise<void> {
  await runner.run({
    name: 'touch-sessions',
    row: z.unknown(),
    sql: Prisma.sql`
      WITH stale AS MATERIALIZED (
        SELECT id FROM sessions
        WHERE id = ANY (${ids}::uuid[]) AND last_seen_at + interval '30 seconds' <= now()
        ORDER BY id
        FOR UPDATE
      )
      UPDATE sessions AS s SET last_seen_at = now() FROM stale WHERE s.id = stale.id`,
  });
}
