import {
  type AuthBindingId,
  DeclaredCapabilities,
  type PrincipalId,
  type Session,
  type SessionId,
} from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { logLevelColumn, principalIdColumn, sessionIdColumn } from '../rows/columns.ts';

const Row = z.object({
  id: sessionIdColumn,
  principal_id: principalIdColumn,
  auth_binding_id: z.custom<AuthBindingId>((value) => typeof value === 'string'),
  protocol_version: z.string(),
  /** Rows of before it was bounded hold what the client said, whatever that was. */
  client_info: z.object({ name: z.string().catch(''), version: z.string().catch('') }),
  client_capabilities: DeclaredCapabilities,
  log_level: logLevelColumn,
  resource_subscriptions: z.array(z.string()),
});

/**
 * Reads a session and notes that it is in use, which is a write at most once a minute, not per request. An
 * `owner` other than null finds its own sessions only.
 *
 * Locks the one row (index sessions_pkey) when it writes. The answer is of before the write, so a session
 * that ends at this moment may be found once more.
 */
export async function findSession(
  runner: SqlRunner,
  id: SessionId,
  owner: PrincipalId | null,
): Promise<Session | null> {
  const isOwn = Prisma.sql`(${owner}::uuid IS NULL OR principal_id = ${owner}::uuid)`;
  const [row] = await runner.run({
    name: 'find-session',
    row: Row,
    sql: Prisma.sql`
      WITH seen AS (
        UPDATE sessions SET last_seen_at = now()
        WHERE id = ${id}::uuid AND ${isOwn} AND last_seen_at <= now() - interval '1 minute'
      )
      SELECT id, principal_id, auth_binding_id, protocol_version, client_info, client_capabilities,
        log_level, resource_subscriptions
      FROM sessions WHERE id = ${id}::uuid AND ${isOwn}`,
  });
  if (row === undefined) return null;
  return {
    id: row.id,
    principalId: row.principal_id,
    authBindingId: row.auth_binding_id,
    protocolVersion: row.protocol_version,
    clientInfo: row.client_info,
    clientCapabilities: row.client_capabilities,
    logLevel: row.log_level,
    resourceSubscriptions: row.resource_subscriptions,
  };
}
