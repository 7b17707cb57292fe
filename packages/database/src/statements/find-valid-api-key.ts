import type { AuthBindingId, ValidApiKey } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { principalIdColumn } from '../rows/columns.ts';
import { limitsColumn } from '../rows/limits-column.ts';

const Row = z.object({
  id: z.string(),
  principalId: principalIdColumn,
  authBindingId: z.custom<AuthBindingId>((value) => typeof value === 'string'),
  scopes: z.array(z.string()),
  limits: limitsColumn.transform((limits) => limits ?? {}),
  expiresInMs: z.number().nullable(),
});

/**
 * Finds a key that is neither expired nor revoked, and notes that it is in use, which is a write at most
 * once a minute. One probe of index api_keys_secret_hash_key for each half, whatever the hash.
 *
 * Locks the one row when it writes.
 */
export async function findValidApiKey(
  runner: SqlRunner,
  hash: Uint8Array,
): Promise<ValidApiKey | null> {
  const isValid = Prisma.sql`
    secret_hash = ${Buffer.from(hash)}::bytea AND revoked_at IS NULL
    AND (expires_at IS NULL OR expires_at > now())`;
  const [row] = await runner.run({
    name: 'find-valid-api-key',
    row: Row,
    sql: Prisma.sql`
      WITH seen AS (
        UPDATE api_keys SET last_used_at = now()
        WHERE ${isValid} AND (last_used_at IS NULL OR last_used_at <= now() - interval '1 minute')
      )
      SELECT id, principal_id AS "principalId", auth_binding_id AS "authBindingId", scopes, limits,
        (extract(epoch FROM expires_at - now()) * 1000)::float8 AS "expiresInMs"
      FROM api_keys WHERE ${isValid}`,
  });
  return row ?? null;
}
