import type { ApiKey, NewApiKey, PrincipalId } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { API_KEY_COLUMNS, ApiKeyRow, toApiKey } from '../rows/api-key-row.ts';

/**
 * Stores a key with a binding of its own, so that a task says through which key it came. To be run after
 * `ensurePrincipal`. Locks only rows it makes, and shares its principal's row (foreign key).
 */
export async function createApiKey(
  runner: SqlRunner,
  id: string,
  principalId: PrincipalId,
  key: NewApiKey,
): Promise<ApiKey> {
  const limits = key.limits === null ? null : JSON.stringify(key.limits);
  const [row] = await runner.run({
    name: 'create-api-key',
    row: ApiKeyRow,
    sql: Prisma.sql`
      WITH binding AS (
        INSERT INTO auth_bindings (id, auth_context_id, method, scopes)
        VALUES (gen_random_uuid(), ${principalId}::uuid, 'api_key', ${[...key.scopes]}::text[])
        RETURNING id
      ), k AS (
        INSERT INTO api_keys (
          id, principal_id, auth_binding_id, name, prefix, secret_hash, scopes, limits, expires_at
        )
        SELECT ${id}::uuid, ${principalId}::uuid, binding.id, ${key.name}, ${key.prefix},
          ${Buffer.from(key.hash)}::bytea, ${[...key.scopes]}::text[], ${limits}::json,
          now() + ${key.expiresInMs}::float8 * interval '1 ms'
        FROM binding
        RETURNING *
      )
      SELECT ${API_KEY_COLUMNS} FROM k JOIN auth_contexts AS c ON c.id = k.principal_id`,
  });
  if (row === undefined) throw new Error('create-api-key returned no row');
  return toApiKey(row);
}
