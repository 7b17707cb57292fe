import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Identity,
  type NewApiKey,
  type NewSession,
  type PrincipalId,
  type SessionId,
  silentLogger,
} from '@longshore/core';
import { openDatabase } from '../src/index.ts';
import { findValidApiKey } from '../src/statements/find-valid-api-key.ts';
import { createExplainRunner } from './fixtures/explain-runner.ts';
import { lockRow } from './fixtures/lock-row.ts';
import { accepted } from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

let stores: TestStores;

beforeAll(async () => {
  stores = await openTestStores();
});
afterAll(() => stores.drop());

describe('identities and secrets', () => {
  /* Identities and secrets: whoever comes first makes them, and all replicas have the same ones. */

  let replicas: ReturnType<typeof openDatabase>[];

  beforeAll(async () => {
    replicas = [1, 2, 3, 4].map(() => openDatabase({ url: stores.url, log: silentLogger }));
    await Promise.all(replicas.map((replica) => replica.ping()));
  });

  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
  });

  it('makes one identity of a principal that many meet for the first time at once', async () => {
    const subject = randomUUID();
    const identities = await Promise.all(
      replicas.flatMap(({ identityStore }) =>
        [1, 2].map(() => identityStore.ensure('anonymous', subject)),
      ),
    );
    expect(new Set(identities.map((identity) => JSON.stringify(identity))).size).toBe(1);
    const rows = await stores.sql(
      `SELECT c.id AS "principalId", b.id AS "authBindingId", c.kind, b.method
     FROM auth_contexts AS c JOIN auth_bindings AS b ON b.auth_context_id = c.id WHERE c.subject = $1`,
      [subject],
    );
    expect(rows).toEqual([{ ...identities[0], kind: 'anonymous', method: 'anonymous' }]);
  });

  it('tells principals of other kinds and subjects apart', async () => {
    const { identityStore } = stores;
    const subject = randomUUID();
    const identities = await Promise.all([
      identityStore.ensure('anonymous', subject),
      identityStore.ensure('stdio', subject),
      identityStore.ensure('anonymous', randomUUID()),
    ]);
    expect(new Set(identities.map(({ principalId }) => principalId)).size).toBe(3);
    expect(new Set(identities.map(({ authBindingId }) => authBindingId)).size).toBe(3);
    expect(await identityStore.ensure('anonymous', subject)).toEqual(identities[0]);
  });

  it('keeps an identity whose sessions end and whose tasks expire', async () => {
    const identity = await stores.identityStore.ensure('anonymous', randomUUID());
    const session = await stores.sessionStore.create({
      protocolVersion: '2025-11-25',
      clientInfo: { name: 'test', version: '1' },
      clientCapabilities: {},
      identity,
    });
    expect(session).toMatchObject(identity);
    await stores.sessionStore.end(session.id);
    expect(
      await stores.sql('SELECT kind FROM auth_contexts WHERE id = $1', [identity.principalId]),
    ).toEqual([{ kind: 'anonymous' }]);
  });

  it('gives all replicas the secret of whoever came first', async () => {
    const name = randomUUID();
    const secrets = await Promise.all(
      replicas.map(({ secretStore }, index) => secretStore.ensure(name, `candidate-${index}`)),
    );
    expect(new Set(secrets).size).toBe(1);
    expect(secrets[0]).toMatch(/^candidate-\d$/);
    expect(await stores.secretStore.ensure(name, 'too late')).toBe(secrets[0]);
    expect(await stores.secretStore.ensure(randomUUID(), 'another')).toBe('another');
  });
});

describe('sessions', () => {
  const anonymous: NewSession = {
    protocolVersion: '2025-11-25',
    clientInfo: { name: 'a\0b', version: '1' },
    clientCapabilities: { elicitation: {} },
    identity: null,
  };

  async function knownIdentity(): Promise<Identity> {
    const identity = { principalId: randomUUID(), authBindingId: randomUUID() } as Identity;
    await stores.sql("INSERT INTO auth_contexts VALUES ($1, 'api_key', $2)", [
      identity.principalId,
      randomUUID(),
    ]);
    await stores.sql("INSERT INTO auth_bindings VALUES ($1, $2, 'api_key', '{}')", [
      identity.authBindingId,
      identity.principalId,
    ]);
    return identity;
  }

  const lastSeen = async (id: SessionId): Promise<Date | undefined> => {
    const rows = await stores.sql<{ last_seen_at: Date }>(
      'SELECT last_seen_at FROM sessions WHERE id = $1',
      [id],
    );
    return rows[0]?.last_seen_at;
  };

  const seenAgo = (id: SessionId, interval: string) =>
    stores.sql('UPDATE sessions SET last_seen_at = now() - $2::interval WHERE id = $1', [
      id,
      interval,
    ]);

  const contexts = (id: string) => stores.sql('SELECT kind FROM auth_contexts WHERE id = $1', [id]);

  it('makes an anonymous session a principal of its own', async () => {
    const session = await stores.sessionStore.create(anonymous);
    expect(await stores.sessionStore.find(session.id, null)).toEqual(session);
    const owners = await stores.sql(
      `SELECT c.kind, c.subject, b.id AS binding FROM auth_contexts c
     JOIN auth_bindings b ON b.auth_context_id = c.id WHERE c.id = $1`,
      [session.principalId],
    );
    expect(owners).toEqual([
      { kind: 'anonymous_session', subject: session.id, binding: session.authBindingId },
    ]);
    const other = await stores.sessionStore.create(anonymous);
    expect(other.principalId).not.toBe(session.principalId);
  });

  it('gives a session to a known identity', async () => {
    const identity = await knownIdentity();
    const session = await stores.sessionStore.create({ ...anonymous, identity });
    expect(session).toMatchObject(identity);
    expect(await stores.sessionStore.find(session.id, null)).toEqual(session);
    await stores.sessionStore.end(session.id);
    expect(await contexts(identity.principalId)).toEqual([{ kind: 'api_key' }]);
  });

  it('knows neither unknown ids nor nonsense', async () => {
    expect(await stores.sessionStore.find(randomUUID() as SessionId, null)).toBeNull();
    expect(await stores.sessionStore.find("'; --" as SessionId, null)).toBeNull();
    expect(await stores.sessionStore.end(randomUUID() as SessionId)).toBe(false);
    expect(await stores.sessionStore.end('nonsense' as SessionId)).toBe(false);
  });

  it('keeps what a session wants logged', async () => {
    const { id, logLevel } = await stores.sessionStore.create(anonymous);
    expect(logLevel).toBeNull();
    expect(await stores.sessionStore.setLogLevel(id, 'warning')).toBe(true);
    expect(await stores.sessionStore.setLogLevel(id, 'debug')).toBe(true);
    expect(await stores.sessionStore.find(id, null)).toMatchObject({ logLevel: 'debug' });
    await stores.sessionStore.end(id);
    expect(await stores.sessionStore.setLogLevel(id, 'info')).toBe(false);
    expect(await stores.sessionStore.setLogLevel('nonsense' as SessionId, 'info')).toBe(false);
  });

  it('keeps subscriptions once each, up to the limit, until they are taken back', async () => {
    const { id } = await stores.sessionStore.create(anonymous);
    const { sessionStore } = stores;
    const subscriptions = async () =>
      (await sessionStore.find(id, null))?.resourceSubscriptions.toSorted();
    expect(await subscriptions()).toEqual([]);
    expect(await sessionStore.subscribe(id, 'file:///a', 2)).toBe(true);
    expect(await sessionStore.subscribe(id, 'file:///b{c,"d"}', 2)).toBe(true);
    expect(await sessionStore.subscribe(id, 'file:///c', 2)).toBe(false);
    expect(await sessionStore.subscribe(id, 'file:///a', 2)).toBe(true);
    expect(await subscriptions()).toEqual(['file:///a', 'file:///b{c,"d"}']);
    await sessionStore.unsubscribe(id, 'file:///a');
    await sessionStore.unsubscribe(id, 'file:///unknown');
    expect(await subscriptions()).toEqual(['file:///b{c,"d"}']);
    await sessionStore.end(id);
    expect(await sessionStore.subscribe(id, 'file:///a', 2)).toBe(false);
    expect(await sessionStore.subscribe('nonsense' as SessionId, 'file:///a', 2)).toBe(false);
    await sessionStore.unsubscribe(id, 'file:///a');
  });

  it('never goes over the limit of subscriptions, however many come at once', async () => {
    const { id } = await stores.sessionStore.create(anonymous);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => stores.sessionStore.subscribe(id, `file:///${n}`, 5)),
    );
    expect(answers.filter(Boolean)).toHaveLength(5);
    expect((await stores.sessionStore.find(id, null))?.resourceSubscriptions).toHaveLength(5);
  });

  it('notes use at most once a minute', async () => {
    const { id } = await stores.sessionStore.create(anonymous);
    await seenAgo(id, '59 seconds');
    const before = await lastSeen(id);
    await stores.sessionStore.find(id, null);
    expect(await lastSeen(id)).toEqual(before);
    await seenAgo(id, '61 seconds');
    const stale = await lastSeen(id);
    await stores.sessionStore.find(id, null);
    expect((await lastSeen(id))?.getTime()).toBeGreaterThan(stale?.getTime() ?? Infinity);
  });

  it('ends a session once, and forgets its anonymous principal', async () => {
    const session = await stores.sessionStore.create(anonymous);
    const ends = await Promise.all([1, 2, 3].map(() => stores.sessionStore.end(session.id)));
    expect(ends.filter(Boolean)).toHaveLength(1);
    expect(await stores.sessionStore.find(session.id, null)).toBeNull();
    expect(await contexts(session.principalId)).toEqual([]);
  });

  it('keeps the tasks of an ended session, and its principal as long as there are any', async () => {
    const session = await stores.sessionStore.create(anonymous);
    const task = await accepted(stores, ownedBy(session));
    await stores.sessionStore.end(session.id);
    expect(await stores.taskStore.find(task.id, session.principalId)).not.toBeNull();
    expect(await contexts(session.principalId)).toHaveLength(1);
    await stores.sql('UPDATE tasks SET expires_at = now() WHERE id = $1', [task.id]);
    await stores.maintenanceStore.deleteExpired(100);
    expect(await contexts(session.principalId)).toEqual([]);
  });

  it('keeps the principal of a living session whose tasks expire', async () => {
    const session = await stores.sessionStore.create(anonymous);
    const task = await accepted(stores, ownedBy(session));
    await stores.sql('UPDATE tasks SET expires_at = now() WHERE id = $1', [task.id]);
    await stores.maintenanceStore.deleteExpired(100);
    expect(await stores.sessionStore.find(session.id, null)).toEqual(session);
  });

  it('deletes idle sessions, longest idle first, as many as asked', async () => {
    const sessions = await Promise.all([1, 2, 3].map(() => stores.sessionStore.create(anonymous)));
    const [oldest, old, used] = sessions;
    if (!(oldest && old && used)) throw new Error('three sessions');
    await seenAgo(oldest.id, '3 hours');
    await seenAgo(old.id, '61 minutes');
    await seenAgo(used.id, '59 minutes');
    expect(await stores.sessionStore.deleteIdle(3_600_000, 1)).toBe(1);
    expect(await lastSeen(oldest.id)).toBeUndefined();
    expect(await contexts(oldest.principalId)).toEqual([]);
    expect(await stores.sessionStore.deleteIdle(3_600_000, 10)).toBe(1);
    expect(await stores.sessionStore.deleteIdle(3_600_000, 10)).toBe(0);
    expect(await stores.sessionStore.find(used.id, null)).not.toBeNull();
  });

  it('makes room among the sessions of an owner by those idle for longest, and by none in use', async () => {
    const owner = await knownIdentity();
    const [bystander] = await Promise.all([
      stores.sessionStore.create({ ...anonymous, identity: await knownIdentity() }),
      stores.sessionStore.create(anonymous),
    ]);
    await seenAgo(bystander.id, '3 hours');
    const sessions = await Promise.all(
      Array.from({ length: 20 }, () =>
        stores.sessionStore.create({ ...anonymous, identity: owner }),
      ),
    );
    const makeRoom = (limit: number) => stores.sessionStore.makeRoom(owner.principalId, limit);
    const left = async (): Promise<number[]> => {
      const seen = await Promise.all(sessions.map(({ id }) => lastSeen(id)));
      return [...seen.keys()].filter((index) => seen[index] !== undefined);
    };
    const [first, second, third, fourth] = sessions;
    if (!(first && second && third && fourth)) throw new Error('twenty sessions');
    expect(await makeRoom(20)).toBe(20);
    await seenAgo(third.id, '4 minutes');
    await seenAgo(first.id, '3 minutes');
    await seenAgo(second.id, '119 seconds');
    expect(await makeRoom(21)).toBe(20);
    expect(await makeRoom(20)).toBe(18);
    expect(await left()).not.toEqual(expect.arrayContaining([0, 2]));
    expect((await left()).length).toBe(18);
    await seenAgo(second.id, '1 hour');
    await stores.sessionStore.touch([second.id]);
    await seenAgo(fourth.id, '1 hour');
    expect(await makeRoom(10)).toBe(17);
    expect(await left()).not.toContain(3);
    expect(await lastSeen(bystander.id)).toBeDefined();
    await stores.sessionStore.end(bystander.id);
  });

  it('makes room among all the sessions that are principals of their own together', async () => {
    const open = () => stores.sessionStore.create(anonymous);
    const known = await stores.sessionStore.create({
      ...anonymous,
      identity: await knownIdentity(),
    });
    const [one, two] = [await open(), await open()];
    await seenAgo(known.id, '3 hours');
    await seenAgo(one.id, '2 hours');
    await accepted(stores, ownedBy(one));
    const before = await stores.sessionStore.makeRoom(null, 1_000_000);
    expect(await stores.sessionStore.makeRoom(null, before)).toBeLessThan(before);
    expect(await lastSeen(one.id)).toBeUndefined();
    // It owns a task.
    expect(await contexts(one.principalId)).toHaveLength(1);
    expect(await stores.sessionStore.find(two.id, null)).toEqual(two);
    expect(await lastSeen(known.id)).toBeDefined();
    await stores.sessionStore.end(known.id);
  });

  it('reads a session of a version that kept all that its client had declared', async () => {
    const { id } = await stores.sessionStore.create(anonymous);
    await stores.sql('UPDATE sessions SET client_capabilities = $2 WHERE id = $1', [
      id,
      JSON.stringify({ sampling: { x: 'y' }, experimental: { z: 'x'.repeat(1_000_000) } }),
    ]);
    expect((await stores.sessionStore.find(id, null))?.clientCapabilities).toEqual({
      sampling: {},
    });
  });

  it('passes over an idle session that is being used again, without waiting', async () => {
    const session = await stores.sessionStore.create(anonymous);
    await seenAgo(session.id, '2 hours');
    const unlock = await lockRow(stores, 'sessions', session.id);
    expect(await stores.sessionStore.deleteIdle(3_600_000, 10)).toBe(0);
    await unlock();
    expect(await stores.sessionStore.deleteIdle(3_600_000, 10)).toBe(1);
  });

  function ownedBy(session: Identity & { readonly id: SessionId }) {
    const { principalId, authBindingId, id: sessionId } = session;
    return { principalId, authBindingId, sessionId };
  }

  it('finds a session for its owner, and for others nothing, which does not keep it alive', async () => {
    const session = await stores.sessionStore.create(anonymous);
    expect(await stores.sessionStore.find(session.id, session.principalId)).toEqual(session);
    await seenAgo(session.id, '1 hour');
    const before = await lastSeen(session.id);
    const stranger = randomUUID() as string as PrincipalId;
    expect(await stores.sessionStore.find(session.id, stranger)).toBeNull();
    expect(await lastSeen(session.id)).toEqual(before);
    await stores.sessionStore.find(session.id, session.principalId);
    expect(await lastSeen(session.id)).not.toEqual(before);
  });
});

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

  it('stops what a key has begun to do to many tasks when it is revoked', async () => {
    const { apiKeyStore } = stores;
    const [key, other] = [await apiKeyStore.create(newKey()), await apiKeyStore.create(newKey())];
    for (const { authBindingId } of [key, other]) {
      await stores.sql(
        `INSERT INTO bulk_actions (id, principal_id, auth_binding_id, action, filter, most)
         VALUES (gen_random_uuid(), gen_random_uuid(), $1, 'cancel', '{}', 10)`,
        [authBindingId],
      );
    }
    await apiKeyStore.revoke(key.id);
    const actions = await stores.sql(
      `SELECT auth_binding_id AS key, state, finished_at IS NOT NULL AS ended FROM bulk_actions ORDER BY state`,
    );
    expect(actions).toEqual([
      { key: other.authBindingId, state: 'running', ended: false },
      { key: key.authBindingId, state: 'stopped', ended: true },
    ]);
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
