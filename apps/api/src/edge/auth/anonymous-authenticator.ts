import type { Access, Identity } from '@longshore/core';
import type { Authenticator } from './authenticator.ts';

/** AUTH=none: whoever reaches the port may do everything. */
export class AnonymousAuthenticator implements Authenticator {
  readonly #access: Access;

  /**
   * @param anonymous who makes all requests without a session
   * @param shared whether legacy sessions are the same principal, rather than one each
   */
  constructor(anonymous: Identity, shared: boolean) {
    this.#access = {
      identity: anonymous,
      sessionIdentity: shared ? anonymous : null,
      scopes: null,
      limits: {},
    };
  }

  authenticate(): Access {
    return this.#access;
  }
}
