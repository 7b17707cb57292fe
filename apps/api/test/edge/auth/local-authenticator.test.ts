import { describe, expect, it } from '@jest/globals';
import type { AuthBindingId, PrincipalId } from '@longshore/core';
import { unauthenticated } from '../../../src/edge/auth/bearer-token.ts';
import { LocalAuthenticator } from '../../../src/edge/auth/local-authenticator.ts';

const TOKEN = 'a'.repeat(43);

describe('LocalAuthenticator', () => {
  const identity = { principalId: 'me' as PrincipalId, authBindingId: 'mine' as AuthBindingId };
  const authenticator = new LocalAuthenticator({
    token: TOKEN,
    identity,
    others: {
      authenticate: () => {
        throw unauthenticated('invalid');
      },
    },
  });

  it('knows the user by the token, in sessions too', () => {
    expect(authenticator.authenticate({ authorization: `Bearer ${TOKEN}` })).toMatchObject({
      identity,
      sessionIdentity: identity,
      scopes: null,
      overStdio: true,
    });
  });

  it.each([undefined, `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, TOKEN, 'Bearer '])(
    'leaves %j to AUTH',
    (authorization) => {
      expect(() => authenticator.authenticate({ authorization })).toThrow(
        expect.objectContaining({ code: 'UNAUTHENTICATED' }),
      );
    },
  );
});
