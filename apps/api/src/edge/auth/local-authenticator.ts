import type { IncomingHttpHeaders } from 'node:http';
import type { Access, Identity } from '@longshore/core';
import { tokenCheck } from '@longshore/runtime';
import type { Authenticator } from './authenticator.ts';

/**
 * Knows the user who started this API by a token that only processes of this user can read, which is how
 * `longshore stdio` comes in. Everybody else is left to AUTH.
 */
export class LocalAuthenticator implements Authenticator {
  readonly #isLocal: ReturnType<typeof tokenCheck>;
  readonly #access: Access;
  readonly #others: Authenticator;

  /** @param options.others for requests without the token */
  constructor(options: { token: string; identity: Identity; others: Authenticator }) {
    const { token, identity, others } = options;
    this.#isLocal = tokenCheck(token);
    this.#access = {
      identity,
      sessionIdentity: identity,
      scopes: null,
      limits: {},
      overStdio: true,
    };
    this.#others = others;
  }

  authenticate(headers: IncomingHttpHeaders): Access | Promise<Access> {
    return this.#isLocal(headers.authorization) ? this.#access : this.#others.authenticate(headers);
  }
}
