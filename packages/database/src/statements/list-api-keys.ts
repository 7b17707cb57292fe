import type { ApiKey } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { API_KEY_COLUMNS, ApiKeyRow, toApiKey } from '../rows/api-key-row.ts';

/** All keys, oldest first. For people: it reads the whole table, and auth_contexts_pkey for each key. */
export async function listApiKeys(runner: SqlRunner): Promise<ApiKey[]> {
  const rows = await runner.run({
    name: 'list-api-keys',
    row: ApiKeyRow,
    sql: Prisma.sql`
      SELECT ${API_KEY_COLUMNS}
      FROM api_keys AS k JOIN auth_contexts AS c ON c.id = k.principal_id
      ORDER BY k.created_at, k.id`,
  });
  return rows.map(toApiKey);
}
