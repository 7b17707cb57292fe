import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { silentLogger } from '@longshore/core';
import { openDatabase } from '../src/index.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

/* Identities and secrets: whoever comes first makes them, and all replicas have the same ones. */

let stores: TestStores;
let replicas: ReturnType<typeof openDatabase>[];

beforeAll(async () => {
  stores = await openTestStores();
  replicas = [1, 2, 3, 4].map(() => openDatabase({ url: stores.url, log: silentLogger }));
  await Promise.all(replicas.map((replica) => replica.ping()));
});

afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.close()));
  await stores.drop();
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
