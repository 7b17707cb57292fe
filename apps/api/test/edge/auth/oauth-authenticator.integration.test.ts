import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AuthBindingId, Identity, IdentityStore, PrincipalId } from '@longshore/core';
import { waitFor } from '@longshore/testing';
import { SignJWT, UnsecuredJWT } from 'jose';
import { IssuerKeys } from '../../../src/edge/auth/issuer-keys.ts';
import { OAuthAuthenticator } from '../../../src/edge/auth/oauth-authenticator.ts';
import { type Claims, FakeIssuer } from './support/fake-issuer.ts';

const AUDIENCE = 'https://jobs.test/mcp';
const SECONDS = (): number => Math.floor(Date.now() / 1_000);

class FakeIdentities implements IdentityStore {
  readonly known = new Map<string, Identity>();
  calls = 0;

  ensure(kind: string, subject: string): Promise<Identity> {
    this.calls += 1;
    const identity = this.known.get(`${kind} ${subject}`) ?? {
      principalId: randomUUID() as string as PrincipalId,
      authBindingId: randomUUID() as string as AuthBindingId,
    };
    this.known.set(`${kind} ${subject}`, identity);
    return Promise.resolve(identity);
  }
}

describe('OAuthAuthenticator', () => {
  let issuer: FakeIssuer;
  let identities: FakeIdentities;
  let authenticator: OAuthAuthenticator;

  beforeEach(async () => {
    issuer = new FakeIssuer();
    await issuer.start();
    identities = new FakeIdentities();
    authenticator = make();
  });
  afterEach(() => issuer.stop());

  const make = (over: { cooldownMs?: number; now?: () => number } = {}) =>
    new OAuthAuthenticator({
      issuer: issuer.url,
      audience: AUDIENCE,
      keys: new IssuerKeys({ issuer: issuer.url, cooldownMs: over.cooldownMs ?? 1 }),
      identities,
      ...(over.now === undefined ? {} : { now: over.now }),
    });
  const authenticate = async (token: string, by = authenticator) =>
    by.authenticate({ authorization: `Bearer ${token}` });
  const claimed = async (claims: Claims) => authenticate(await issuer.token(claims));

  it('takes a token of its issuer for its audience', async () => {
    const access = await claimed({});
    expect(access).toMatchObject({ scopes: ['tasks:read', 'tools:*'] });
    expect(access.sessionIdentity).toBe(access.identity);
    expect([...identities.known.keys()]).toEqual([`oauth ["${issuer.url}","ada","app"]`]);
  });

  it('looks at a token once, and at its principal once', async () => {
    const token = await issuer.token();
    const first = await authenticate(token);
    const asked = issuer.asked.length;
    expect(authenticator.authenticate({ authorization: `Bearer ${token}` })).toBe(first);
    await claimed({ jti: 'another token of the same principal' });
    expect(identities.calls).toBe(1);
    expect(issuer.asked).toHaveLength(asked);
  });

  it('tells users, and clients of one user, apart', async () => {
    const of = async (claims: Claims) => (await claimed(claims)).identity.principalId;
    const principals = [
      await of({}),
      await of({ client_id: 'other' }),
      await of({ sub: 'bob' }),
      await of({ client_id: undefined }),
      await of({ sub: 'ada","app', client_id: undefined }),
    ];
    expect(new Set(principals).size).toBe(principals.length);
    expect(await of({ client_id: undefined, azp: 'app' })).toBe(principals[0]);
  });

  it.each<[Claims, string[]]>([
    [{ scope: ' tools:a  tasks:read ' }, ['tools:a', 'tasks:read']],
    [{ scope: undefined, scp: ['tools:a'] }, ['tools:a']],
    [{ scope: undefined, scp: 'tools:a tools:b' }, ['tools:a', 'tools:b']],
    [{ scope: undefined }, []],
    [{ scope: '' }, []],
  ])('reads the scopes of %j', async (claims, scopes) => {
    expect((await claimed(claims)).scopes).toEqual(scopes);
  });

  it.each<[string, () => Claims]>([
    ['of another issuer', () => ({ iss: 'https://evil.test' })],
    ['for another audience', () => ({ aud: 'https://other.test/mcp' })],
    ['for no audience', () => ({ aud: undefined })],
    ['that has expired', () => ({ exp: SECONDS() - 10 })],
    ['that never expires', () => ({ exp: undefined })],
    ['that is not good yet', () => ({ nbf: SECONDS() + 30 })],
    ['of nobody', () => ({ sub: undefined })],
    ['of an empty name', () => ({ sub: '' })],
    ['that is bound to a key', () => ({ cnf: { jkt: 'x' } })],
    ['with scopes of no known form', () => ({ scope: { all: true } })],
  ])('refuses a token %s', async (_, claims) => {
    await expect(claimed(claims())).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(identities.calls).toBe(0);
  });

  it('forgives clocks some seconds', async () => {
    const noon = 1_800_000_000;
    const frozen = make({ now: () => noon * 1_000 });
    const at = async (claims: Claims) =>
      authenticate(await issuer.token({ exp: noon + 60, ...claims }), frozen);
    await expect(at({ exp: noon - 4 })).resolves.toBeDefined();
    await expect(at({ nbf: noon + 4 })).resolves.toBeDefined();
    for (const claims of [{ exp: noon - 6 }, { nbf: noon + 6 }]) {
      await expect(at(claims)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    }
  });

  it('does not keep a token longer than it is good', async () => {
    let now = 1_800_000_000_000;
    const clocked = make({ now: () => now });
    const token = await issuer.token({ exp: now / 1_000 - 1 });
    await expect(authenticate(token, clocked)).resolves.toBeDefined();
    now += 10_000;
    await expect(authenticate(token, clocked)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('takes one of several audiences', async () => {
    await expect(claimed({ aud: ['x', AUDIENCE] })).resolves.toBeDefined();
  });

  it('refuses a token that anybody could have made', async () => {
    const claims = { iss: issuer.url, aud: AUDIENCE, sub: 'ada', exp: SECONDS() + 60 };
    const good = await issuer.token();
    const [head = '', body = '', signature = ''] = good.split('.');
    const other = new FakeIssuer();
    await other.start();
    const forged = [
      new UnsecuredJWT(claims).encode(),
      await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: 'key-1' })
        .sign(issuer.publicKey),
      await other.token({ iss: issuer.url }),
      `${head}.${Buffer.from(JSON.stringify({ ...claims, sub: 'root' })).toString('base64url')}.${signature}`,
      `${head}.${body}.`,
      `${head}.${body}`,
      'opaque',
    ];
    await other.stop();
    for (const token of forged) {
      await expect(authenticate(token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    }
    await expect(authenticate(good)).resolves.toBeDefined();
  });

  it('refuses a signed statement that is no access token', async () => {
    for (const typ of ['logout+jwt', 'dpop+jwt', 'secevent+jwt']) {
      await expect(authenticate(await issuer.token({}, { typ }))).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
      });
    }
    for (const typ of ['JWT', 'application/at+jwt']) {
      await expect(authenticate(await issuer.token({}, { typ }))).resolves.toBeDefined();
    }
  });

  it('says nothing of a token in an error', async () => {
    const token = await issuer.token({ exp: SECONDS() - 60, sub: 'secret-subject' });
    const refusal = await authenticate(token).catch((error: unknown) => error as Error);
    const text = `${refusal} ${(refusal as Error).stack} ${String((refusal as Error).cause)}`;
    expect(text).toContain('ERR_JWT_EXPIRED');
    expect(text).not.toContain('secret-subject');
    expect(text).not.toContain(token.slice(0, 20));
  });

  it('follows the issuer to a new key, and knows the old one no longer', async () => {
    const old = await issuer.token();
    await authenticate(old);
    await issuer.rotate();
    const fresh = await issuer.token();
    await waitFor(() => authenticate(fresh).then(Boolean, () => false), { what: 'the new key' });
    // The old token is trusted as verified; another one of the old key is not.
    const another = make();
    await expect(authenticate(old, another)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await expect(authenticate(fresh, another)).resolves.toBeDefined();
  });

  it('reads the keys once for a crowd, and not for each unknown kid', async () => {
    const patient = make({ cooldownMs: 60_000 });
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, n) => issuer.token({ jti: `${n}` })),
    );
    await Promise.all(tokens.map((token) => authenticate(token, patient)));
    for (let n = 0; n < 20; n += 1) {
      const token = await issuer.token({}, { kid: `made-up-${n}` });
      await expect(authenticate(token, patient)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    }
    expect(issuer.asked.filter((path) => path === '/keys')).toHaveLength(1);
  });

  describe('an issuer that can not be asked', () => {
    it('is no reason to call a token bad', async () => {
      issuer.status = 500;
      await expect(claimed({})).rejects.toMatchObject({
        code: 'ISSUER_UNAVAILABLE',
        retryable: true,
      });
      issuer.status = 200;
      await waitFor(() => claimed({}).then(Boolean, () => false), { what: 'it is asked again' });
    });

    it('is not asked by every request', async () => {
      issuer.status = 500;
      const patient = make({ cooldownMs: 60_000 });
      for (let n = 0; n < 10; n += 1) {
        await expect(authenticate(await issuer.token(), patient)).rejects.toMatchObject({
          code: 'ISSUER_UNAVAILABLE',
        });
      }
      expect(issuer.asked).toHaveLength(3);
    });

    it('leaves the keys good that were read before', async () => {
      await claimed({});
      issuer.status = 500;
      const unknown = await issuer.token({}, { kid: 'made-up' });
      await expect(authenticate(unknown)).rejects.toMatchObject({ code: 'ISSUER_UNAVAILABLE' });
      await expect(claimed({ jti: 'new' })).resolves.toBeDefined();
    });

    it('is one that calls itself another', async () => {
      issuer.name = 'https://evil.test';
      await expect(claimed({})).rejects.toMatchObject({ code: 'ISSUER_UNAVAILABLE' });
    });
  });
});
