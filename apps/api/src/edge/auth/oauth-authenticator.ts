import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Access, type Identity, type IdentityStore, LongshoreError } from '@longshore/core';
import { jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Authenticator } from './authenticator.ts';
import { bearerToken, unauthenticated } from './bearer-token.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import { TokenClaims } from './token-claims.ts';

/** Signatures by which a token is nobody else's: none that is symmetric, and not `none`. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const TYPES = new Set(['jwt', 'at+jwt', 'application/at+jwt']);

/** How far clocks may be apart, in seconds. */
const LEEWAY_S = 5;
/** How long a verified token is trusted without looking at it again. */
const TRUST_MS = 60_000;
const IDENTITY_TRUST_MS = 600_000;
const MAX_CACHED = 10_000;

export interface OAuthAuthenticatorOptions {
  readonly issuer: string;
  /** What `aud` must contain. */
  readonly audience: string;
  readonly keys: IssuerKeys;
  readonly identities: IdentityStore;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * AUTH=oauth: an OAuth 2.1 resource server. Takes JWT access tokens of one issuer that are for this server;
 * whose they are says (issuer, subject, client). Tokens are kept nowhere: what is cached has their hash.
 *
 * @see 2025-11-25 and 2026-07-28 basic/authorization, "Token Handling" · RFC 9068, 4
 */
export class OAuthAuthenticator implements Authenticator {
  readonly #options: OAuthAuthenticatorOptions;
  readonly #now: () => number;
  readonly #known = new LRUCache<string, Access>({ max: MAX_CACHED, ttl: TRUST_MS });
  readonly #identities = new LRUCache<string, Identity>({
    max: MAX_CACHED,
    ttl: IDENTITY_TRUST_MS,
  });

  constructor(options: OAuthAuthenticatorOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** @throws {LongshoreError} UNAUTHENTICATED · ISSUER_UNAVAILABLE · DATABASE_UNAVAILABLE */
  authenticate(headers: IncomingHttpHeaders): Access | Promise<Access> {
    const token = bearerToken(headers);
    const hash = createHash('sha256').update(token).digest('base64');
    return this.#known.get(hash) ?? this.#verify(token, hash);
  }

  async #verify(token: string, hash: string): Promise<Access> {
    const { subject, scopes, expiresAtMs } = await this.#claims(token);
    const identity = await this.#identity(subject);
    const access = { identity, sessionIdentity: identity, scopes, limits: {} };
    const leftMs = Math.floor(expiresAtMs - this.#now());
    if (leftMs >= 1) this.#known.set(hash, access, { ttl: Math.min(TRUST_MS, leftMs) });
    return access;
  }

  async #claims(token: string): Promise<TokenClaims> {
    const { issuer, audience, keys } = this.#options;
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys.get, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        currentDate: new Date(this.#now()),
        clockTolerance: LEEWAY_S,
        requiredClaims: ['exp', 'sub'],
      });
      const { typ = 'JWT' } = protectedHeader;
      if (!TYPES.has(typ.toLowerCase())) throw new Error('the token is of another type');
      return TokenClaims.parse(payload);
    } catch (error) {
      if (error instanceof LongshoreError) throw error;
      throw unauthenticated('invalid', reasonOf(error));
    }
  }

  async #identity(subject: string): Promise<Identity> {
    const known = this.#identities.get(subject);
    if (known !== undefined) return known;
    const identity = await this.#options.identities.ensure('oauth', subject);
    this.#identities.set(subject, identity);
    return identity;
  }
}

/** For the log: the kind of refusal without what a token says, which the errors of jose carry. */
function reasonOf(error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unfit claims';
  return new Error(`the token was refused: ${code}`);
}
