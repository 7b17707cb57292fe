import type { Session } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

/**
 * Stores a session. An anonymous one brings its own principal and binding, all in one statement: there is
 * no session without an owner.
 *
 * Locks only rows it makes, and shares its binding's row (foreign key).
 */
export async function createSession(
  runner: SqlRunner,
  session: Session,
  isAnonymous: boolean,
): Promise<void> {
  const owner = isAnonymous
    ? Prisma.sql`
      WITH context AS (
        INSERT INTO auth_contexts (id, kind, subject)
        VALUES (${session.principalId}::uuid, 'anonymous_session', ${session.id})
      ), binding AS (
        INSERT INTO auth_bindings (id, auth_context_id, method, scopes)
        VALUES (${session.authBindingId}::uuid, ${session.principalId}::uuid, 'anonymous_session', '{}')
      )`
    : Prisma.empty;
  await runner.run({
    name: 'create-session',
    row: z.unknown(),
    sql: Prisma.sql`${owner}
      INSERT INTO sessions (
        id, principal_id, auth_binding_id, protocol_version, client_info, client_capabilities
      ) VALUES (
        ${session.id}::uuid, ${session.principalId}::uuid, ${session.authBindingId}::uuid,
        ${session.protocolVersion}, ${JSON.stringify(session.clientInfo)}::json,
        ${JSON.stringify(session.clientCapabilities)}::json
      )`,
  });
}
