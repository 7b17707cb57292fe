import type { PrincipalId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { principalIdColumn } from '../rows/columns.ts';

/** More than a minute, at which use is noted. */
const IN_USE_MS = 120_000;

const Row = z.object({ left: z.int(), owners: z.array(principalIdColumn) });

/**
 * Deletes sessions of an owner that has `limit` or more until there is room for a tenth of them, longest idle
 * first, and none that was in use within two minutes.
 *
 * Locks the rows it takes and skips those that others hold. Indexes: auth_bindings_auth_context_id_idx and
 * sessions_auth_binding_id_idx, an entry for each session of the owner; for those that are principals of
 * their own all sessions are read.
 *
 * @param owner null: all sessions that are principals of their own
 * @returns how many are left, and the principal of each deleted session
 */
export async function evictSessions(
  runner: SqlRunner,
  owner: PrincipalId | null,
  limit: number,
): Promise<{ left: number; owners: readonly PrincipalId[] }> {
  const isOwned =
    owner === null
      ? Prisma.sql`b.method = 'anonymous_session'`
      : Prisma.sql`b.auth_context_id = ${owner}::uuid`;
  const [row] = await runner.run({
    name: 'evict-sessions',
    row: Row,
    sql: Prisma.sql`
      WITH owned AS MATERIALIZED (
        SELECT s.id, s.last_seen_at
        FROM auth_bindings AS b JOIN sessions AS s ON s.auth_binding_id = b.id
        WHERE ${isOwned}
      ), total AS (
        SELECT count(*)::int AS sessions FROM owned
      ), idle AS MATERIALIZED (
        SELECT id FROM owned
        WHERE (SELECT sessions FROM total) >= ${limit}::int
          AND last_seen_at <= now() - ${IN_USE_MS}::float8 * interval '1 ms'
        ORDER BY last_seen_at
        LIMIT (SELECT greatest(sessions - ${limit}::int, 0) FROM total) + ${Math.ceil(limit / 10)}::int
      ), picked AS MATERIALIZED (
        SELECT s.id FROM sessions AS s JOIN idle USING (id) FOR UPDATE OF s SKIP LOCKED
      ), gone AS (
        DELETE FROM sessions AS s USING picked WHERE s.id = picked.id RETURNING s.principal_id
      )
      SELECT (SELECT sessions FROM total) - (SELECT count(*)::int FROM gone) AS "left",
        ARRAY(SELECT principal_id FROM gone) AS owners`,
  });
  if (row === undefined) throw new Error('evict-sessions returned no row');
  return row;
}
