import { randomUUID } from 'node:crypto';
import type { ApiKey, ApiKeyStore, AuthBindingId, NewApiKey, ValidApiKey } from '@longshore/core';
import * as z from 'zod';
import type { PoolRunner } from '../connection/pool-runner.ts';
import { Prisma } from '../generated/client.ts';
import { isUuid } from '../rows/is-uuid.ts';
import { limitsColumn } from '../rows/limits-column.ts';
import { ensurePrincipal } from '../statements/ensure-principal.ts';
import { findValidApiKey } from '../statements/find-valid-api-key.ts';

const KEY = {
  id: true,
  authBindingId: true,
  authBinding: { select: { authContext: { select: { subject: true } } } },
  name: true,
  prefix: true,
  scopes: true,
  limits: true,
  createdAt: true,
  expiresAt: true,
  revokedAt: true,
  lastUsedAt: true,
} as const satisfies Prisma.ApiKeySelect;

function toApiKey(row: Prisma.ApiKeyGetPayload<{ select: typeof KEY }>): ApiKey {
  const { authBinding, authBindingId, limits, ...key } = row;
  return {
    ...key,
    authBindingId: authBindingId as AuthBindingId,
    principal: authBinding.authContext.subject,
    limits: limitsColumn.parse(limits) ?? {},
  };
}

/** Keys are few, and read as such for people only; whether a call may come in says `findValid`. */
export class PostgresApiKeyStore implements ApiKeyStore {
  readonly #runner: PoolRunner;

  constructor(runner: PoolRunner) {
    this.#runner = runner;
  }

  async create(key: NewApiKey): Promise<ApiKey> {
    const id = randomUUID();
    const limits = key.limits === null ? null : JSON.stringify(key.limits);
    await this.#runner.transaction('create-api-key', async (runner) => {
      const principalId = await ensurePrincipal(runner, 'api_key', key.principal ?? id);
      await runner.run({
        name: 'create-api-key',
        row: z.unknown(),
        sql: Prisma.sql`
          WITH binding AS (
            INSERT INTO auth_bindings (id, auth_context_id, method, scopes)
            VALUES (gen_random_uuid(), ${principalId}::uuid, 'api_key', ${[...key.scopes]}::text[])
            RETURNING id
          )
          INSERT INTO api_keys (
            id, principal_id, auth_binding_id, name, prefix, secret_hash, scopes, limits, expires_at
          )
          SELECT ${id}::uuid, ${principalId}::uuid, binding.id, ${key.name}, ${key.prefix},
            ${Buffer.from(key.hash)}::bytea, ${[...key.scopes]}::text[], ${limits}::json,
            now() + ${key.expiresInMs}::float8 * interval '1 ms'
          FROM binding`,
      });
    });
    const created = await this.#find(id);
    if (created === null) throw new Error('create-api-key stored no key');
    return created;
  }

  async list(): Promise<ApiKey[]> {
    const keys = await this.#runner.ask('list-api-keys', (prisma) =>
      prisma.apiKey.findMany({ select: KEY, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] }),
    );
    return keys.map(toApiKey);
  }

  /** For good: a key that was revoked before keeps that time. What it has begun to do to many tasks ends with it. */
  async revoke(id: string): Promise<ApiKey | null> {
    if (!isUuid(id)) return null;
    await this.#runner.run({
      name: 'revoke-api-key',
      row: z.unknown(),
      sql: Prisma.sql`
        WITH revoked AS (
          UPDATE api_keys SET revoked_at = now() WHERE id = ${id}::uuid AND revoked_at IS NULL
          RETURNING auth_binding_id
        )
        UPDATE bulk_actions AS b SET state = 'stopped', finished_at = now()
        FROM revoked AS r WHERE b.auth_binding_id = r.auth_binding_id AND b.state = 'running'`,
    });
    return this.#find(id);
  }

  async findValid(hash: Uint8Array): Promise<ValidApiKey | null> {
    return findValidApiKey(this.#runner, hash);
  }

  async #find(id: string): Promise<ApiKey | null> {
    const found = await this.#runner.ask('find-api-key', (prisma) =>
      prisma.apiKey.findUnique({ where: { id }, select: KEY }),
    );
    return found === null ? null : toApiKey(found);
  }
}
