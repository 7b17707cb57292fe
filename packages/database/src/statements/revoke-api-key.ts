import type { ApiKey } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { API_KEY_COLUMNS, ApiKeyRow, toApiKey } from '../rows/api-key-row.ts';

/** Revokes a key for good; the first time counts. Locks the one row (index api_keys_pkey). */
export async function revokeApiKey(runner: SqlRunner, id: string): Promise<ApiKey | null> {
  const [row] = await runner.run({
    name: 'revoke-api-key',
    row: ApiKeyRow,
    sql: Prisma.sql`
      UPDATE api_keys AS k SET revoked_at = coalesce(k.revoked_at, now())
      FROM auth_contexts AS c
      WHERE k.id = ${id}::uuid AND c.id = k.principal_id
      RETURNING ${API_KEY_COLUMNS}`,
  });
  return row === undefined ? null : toApiKey(row);
}
