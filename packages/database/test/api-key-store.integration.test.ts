import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewApiKey } from '@longshore/core';
import { findValidApiKey } from '../src/statements/find-valid-api-key.ts';
import { createExplainRunner } from './fixtures/explain-runner.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

let stores: TestStores;
beforeAll(async () => {
  stores = await openTestStores();
});
afterAll(() => stores.drop());

const aHash = (): Buffer => createHash('sha256').update(randomBytes(32)).digest();
const newKey = (over: Partial<NewApiKey> = {}): NewApiKey => ({
  principal: null,
  name: 'for tests',
  prefix: 'ls_abcde',
  hash: aHash(),
  scopes: ['tasks:read', 'tools:*'],
  limits: null,
  expiresInMs: null,
  ...over,
});

describe('PostgresApiKeyStore', () => {
  it('finds a key by its hash, with what it is good for', async () => {
    const key = newKey({ limits: { maxTtlMs: 1_000 }, expiresInMs: 60_000 });
    const created = await stores.apiKeyStore.create(key);
    expect(created).toMatchObject({
      principal: created.id,
      name: 'for tests',
      prefix: 'ls_abcde',
      scopes: ['tasks:read', 'tools:*'],
      limits: { maxTtlMs: 1_000 },
      revokedAt: null,
      lastUsedAt: null,
    });
    const found = await stores.apiKeyStore.findValid(key.hash);
    expect(found).toMatchObject({
      id: created.id,
      authBindingId: created.authBindingId,
      scopes: ['tasks:read', 'tools:*'],
      limits: { maxTtlMs: 1_000 },
    });
    expect(found?.expiresInMs).toBeGreaterThan(0);
    expect(found?.expiresInMs).toBeLessThanOrEqual(60_000);
    expect(await stores.apiKeyStore.findValid(aHash())).toBeNull();
  });

  it('keeps keys of one principal apart by their bindings', async () => {
    const [first, second, other] = [
      newKey({ principal: 'nightly' }),
      newKey({ principal: 'nightly' }),
      newKey(),
    ];
    for (const key of [first, second, other]) await stores.apiKeyStore.create(key);
    const [a, b, c] = await Promise.all(
      [first, second, other].map(({ hash }) => stores.apiKeyStore.findValid(hash)),
    );
    expect(a?.principalId).toBe(b?.principalId);
    expect(a?.authBindingId).not.toBe(b?.authBindingId);
    expect(c?.principalId).not.toBe(a?.principalId);
  });

  it('knows no key that has expired', async () => {
    const key = newKey({ expiresInMs: 1 });
    const { id } = await stores.apiKeyStore.create(key);
    await stores.sql(`UPDATE api_keys SET expires_at = now() WHERE id = $1`, [id]);
    expect(await stores.apiKeyStore.findValid(key.hash)).toBeNull();
  });

  it('knows no key that was revoked, which is for good', async () => {
    const key = newKey();
    const { id } = await stores.apiKeyStore.create(key);
    const revoked = await stores.apiKeyStore.revoke(id);
    expect(revoked?.revokedAt).toBeInstanceOf(Date);
    expect(await stores.apiKeyStore.findValid(key.hash)).toBeNull();
    expect(await stores.apiKeyStore.revoke(id)).toEqual(revoked);
    for (const nobody of ['nonsense', '00000000-0000-4000-8000-000000000000']) {
      expect(await stores.apiKeyStore.revoke(nobody)).toBeNull();
    }
  });

  it('notes at most once a minute that a key is in use', async () => {
    const key = newKey();
    const { id } = await stores.apiKeyStore.create(key);
    const lastUsed = async () =>
      (await stores.apiKeyStore.list()).find((listed) => listed.id === id)?.lastUsedAt;
    await stores.apiKeyStore.findValid(key.hash);
    const first = await lastUsed();
    expect(first).toBeInstanceOf(Date);
    await stores.apiKeyStore.findValid(key.hash);
    expect(await lastUsed()).toEqual(first);
    await stores.sql(`UPDATE api_keys SET last_used_at = now() - interval '61 s' WHERE id = $1`, [
      id,
    ]);
    await stores.apiKeyStore.findValid(key.hash);
    expect((await lastUsed())?.getTime()).toBeGreaterThanOrEqual(first?.getTime() ?? Infinity);
  });

  it('reads as much for a hash nobody has as for one somebody has', async () => {
    const key = newKey();
    await stores.apiKeyStore.create(key);
    await stores.apiKeyStore.findValid(key.hash);
    await stores.sql(
      `WITH made AS (
         INSERT INTO auth_bindings (id, auth_context_id, method, scopes)
         SELECT gen_random_uuid(), c.id, 'api_key', '{}'
         FROM (SELECT id FROM auth_contexts LIMIT 1) AS c, generate_series(1, 20000)
         RETURNING id, auth_context_id
       )
       INSERT INTO api_keys (id, principal_id, auth_binding_id, name, prefix, secret_hash, scopes)
       SELECT id, auth_context_id, id, 'n', 'p', sha256(id::text::bytea), '{}' FROM made`,
    );
    await stores.sql('ANALYZE');
    const explainer = createExplainRunner(stores.url);
    try {
      const known = await explainer.explain((runner) => findValidApiKey(runner, key.hash));
      const unknown = await explainer.explain((runner) => findValidApiKey(runner, aHash()));
      expect([...known.scans]).toEqual(['api_keys by api_keys_secret_hash_key']);
      expect(unknown.scans).toEqual(known.scans);
      expect(known.rowsRead).toBeLessThanOrEqual(2);
    } finally {
      await explainer.close();
    }
  });
});
