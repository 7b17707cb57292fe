import type { PrincipalId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

/**
 * Deletes those of the principals that were an anonymous session, have no session any more and own no task
 * with a handle: nobody can ever act as them again. Their bindings go by their foreign key.
 *
 * Locks the rows it deletes. Indexes: auth_contexts_pkey, auth_bindings_auth_context_id_idx,
 * sessions_auth_binding_id_idx, tasks_owner_newest_idx, a few probes per principal.
 */
export async function forgetPrincipals(
  runner: SqlRunner,
  ids: readonly PrincipalId[],
): Promise<void> {
  await runner.run({
    name: 'forget-principals',
    row: z.unknown(),
    sql: Prisma.sql`
      DELETE FROM auth_contexts AS c
      WHERE c.id = ANY (${ids}::uuid[]) AND c.kind = 'anonymous_session'
        AND NOT EXISTS (SELECT FROM tasks AS t WHERE t.principal_id = c.id AND t.listed)
        AND NOT EXISTS (
          SELECT FROM auth_bindings AS b JOIN sessions AS s ON s.auth_binding_id = b.id
          WHERE b.auth_context_id = c.id)`,
  });
}
