import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Access, Identity } from '@longshore/core';
import type { Authenticator } from './authenticator.ts';

const PREFIX = 'Bearer ';

/**
 * Knows the user who started this API by a token that only processes of this user can read, which is how
 * `longshore stdio` comes in. Everybody else is left to AUTH.
 */
export class LocalAuthenticator implements Authenticator {
  readonly #digest: Buffer;
  readonly #access: Access;
  readonly #others: Authenticator;

  /** @param options.others for requests without the token */
  constructor(options: { token: string; identity: Identity; others: Authenticator }) {
    const { token, identity, others } = options;
    this.#digest = digest(token);
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

  /** By digests, which are of one length: comparing says nothing of how much of a guess is right. */
  #isLocal(authorization: string | undefined): boolean {
    if (authorization?.startsWith(PREFIX) !== true) return false;
    return timingSafeEqual(digest(authorization.slice(PREFIX.length)), this.#digest);
  }
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
