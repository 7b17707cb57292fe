import type { AuthBindingId, PrincipalId, PrincipalKind } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({
  id: z.custom<AuthBindingId>((value) => typeof value === 'string', 'not a uuid column'),
});

/**
 * Finds or makes the binding of a principal that has one way to come in. To be run after
 * `ensurePrincipal`. Index: auth_bindings_auth_context_id_idx.
 */
export async function ensureBinding(
  runner: SqlRunner,
  principalId: PrincipalId,
  method: PrincipalKind,
): Promise<AuthBindingId> {
  const [row] = await runner.run({
    name: 'ensure-binding',
    row: Row,
    sql: Prisma.sql`
      WITH found AS MATERIALIZED (
        SELECT id FROM auth_bindings
        WHERE auth_context_id = ${principalId}::uuid AND method = ${method}
        ORDER BY created_at, id
        LIMIT 1
      ), made AS (
        INSERT INTO auth_bindings (id, auth_context_id, method, scopes)
        SELECT gen_random_uuid(), ${principalId}::uuid, ${method}, '{}'
        WHERE NOT EXISTS (SELECT FROM found)
        RETURNING id
      )
      SELECT id FROM found UNION ALL SELECT id FROM made`,
  });
  if (row === undefined) throw new Error('ensure-binding returned no row');
  return row.id;
}
