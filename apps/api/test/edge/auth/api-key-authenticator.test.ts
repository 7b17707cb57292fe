import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type ApiKeyStore,
  type AuthBindingId,
  CREDENTIALS_TOPIC,
  type PrincipalId,
  type ValidApiKey,
} from '@longshore/core';
import { ApiKeyAuthenticator } from '../../../src/edge/auth/api-key-authenticator.ts';
import { FakeBus } from '../../catalogue/support/fakes.ts';

class FakeKeys implements Pick<ApiKeyStore, 'findValid'> {
  readonly keys = new Map<string, ValidApiKey>();
  finds = 0;
  /** Holds the answers back until it resolves. */
  gate: Promise<void> | null = null;

  add(expiresInMs: number | null = null): { key: string; stored: ValidApiKey } {
    const key = `ls_${randomBytes(32).toString('base64url')}`;
    const stored: ValidApiKey = {
      id: randomUUID(),
      principalId: randomUUID() as string as PrincipalId,
      authBindingId: randomUUID() as string as AuthBindingId,
      scopes: ['tools:*'],
      limits: {},
      expiresInMs,
    };
    this.keys.set(createHash('sha256').update(key).digest('hex'), stored);
    return { key, stored };
  }

  async findValid(hash: Uint8Array): Promise<ValidApiKey | null> {
    this.finds += 1;
    const found = this.keys.get(Buffer.from(hash).toString('hex')) ?? null;
    await this.gate;
    return found;
  }
}

describe('ApiKeyAuthenticator', () => {
  let bus: FakeBus;
  let store: FakeKeys;
  let authenticator: ApiKeyAuthenticator;
  const authenticate = async (key: string) =>
    authenticator.authenticate({ authorization: `Bearer ${key}` });
  const refused = { code: 'UNAUTHENTICATED' };

  beforeEach(async () => {
    bus = new FakeBus();
    store = new FakeKeys();
    authenticator = new ApiKeyAuthenticator({ store: store as unknown as ApiKeyStore, bus });
    await authenticator.start();
  });
  afterEach(() => authenticator.stop());

  it('asks the store once for requests that come together, and not again for a moment', async () => {
    const { key, stored } = store.add();
    const [first, second] = await Promise.all([authenticate(key), authenticate(key)]);
    expect(first).toMatchObject({
      identity: { principalId: stored.principalId, authBindingId: stored.authBindingId },
      sessionIdentity: { principalId: stored.principalId },
      scopes: ['tools:*'],
    });
    expect(second).toBe(first);
    expect(authenticator.authenticate({ authorization: `bearer  ${key}` })).toBe(first);
    expect(store.finds).toBe(1);
  });

  it('asks for an unknown key as for a known one, and not again for a moment', async () => {
    const key = `ls_${randomBytes(32).toString('base64url')}`;
    await expect(authenticate(key)).rejects.toMatchObject(refused);
    await expect(authenticate(key)).rejects.toMatchObject(refused);
    expect(store.finds).toBe(1);
  });

  it('refuses what can be no key with the same words, and asks nobody', async () => {
    const { key } = store.add();
    const messages = new Set<string>();
    for (const authorization of [
      undefined,
      '',
      key,
      'Bearer',
      `Basic ${key}`,
      `Bearer ${key}=`,
      `Bearer ${key}, Bearer ${key}`,
      `Bearer ${key.slice(1)}`,
      `Bearer ${key}x`,
    ]) {
      const refusal = await authenticateRaw(authorization);
      expect(refusal).toMatchObject(refused);
      messages.add(refusal.message);
    }
    await authenticate(`ls_${'A'.repeat(43)}`).catch((error: Error) => messages.add(error.message));
    expect(messages.size).toBe(1);
    expect(store.finds).toBe(1);
  });

  const authenticateRaw = async (authorization: string | undefined): Promise<Error> => {
    try {
      await authenticator.authenticate({ authorization });
    } catch (error) {
      if (error instanceof Error) return error;
    }
    throw new Error(`${authorization} was not refused`);
  };

  it('knows a key no longer the moment it is revoked, and other keys still', async () => {
    const { key, stored } = store.add();
    const other = store.add();
    await Promise.all([authenticate(key), authenticate(other.key)]);
    store.keys.delete(createHash('sha256').update(key).digest('hex'));
    await expect(authenticate(key)).resolves.toBeDefined();
    await bus.publish(CREDENTIALS_TOPIC, {
      kind: 'credential-revoked',
      authBindingId: stored.authBindingId,
    });
    await expect(authenticate(key)).rejects.toMatchObject(refused);
    const finds = store.finds;
    await authenticate(other.key);
    expect(store.finds).toBe(finds);
  });

  it('does not keep what was read before a revocation', async () => {
    const { key, stored } = store.add();
    let open = (): void => {};
    store.gate = new Promise((resolve) => {
      open = resolve;
    });
    const early = authenticate(key);
    store.keys.clear();
    await bus.publish(CREDENTIALS_TOPIC, {
      kind: 'credential-revoked',
      authBindingId: stored.authBindingId,
    });
    open();
    await expect(early).resolves.toBeDefined();
    await expect(authenticate(key)).rejects.toMatchObject(refused);
  });

  it('asks again for everything after messages may have been lost', async () => {
    const { key } = store.add();
    await authenticate(key);
    store.keys.clear();
    bus.resync();
    await expect(authenticate(key)).rejects.toMatchObject(refused);
  });

  it('keeps a key no longer than it is good', async () => {
    const { key } = store.add(0.5);
    await authenticate(key);
    await authenticate(key);
    expect(store.finds).toBe(2);
  });
});
