import type { IncomingHttpHeaders } from 'node:http';
import { LongshoreError } from '@longshore/core';
import type { Request, Response } from 'express';
import { EncryptJWT, type JWTPayload, jwtDecrypt } from 'jose';
import type { Authenticator } from '../edge/auth/authenticator.ts';
import { unauthenticated } from '../edge/auth/bearer-token.ts';
import { Operator } from './operation.ts';

/** 12 h: a working day. A token of OAuth may end its session earlier. */
const MAX_AGE_S = 43_200;

/** What pages of the dashboard send with what changes something: no form and no page of another origin can. */
export const CSRF_HEADER = 'x-longshore-dashboard';

/** What a cookie is for: one can not be used as another. */
type Purpose = 'session' | 'login';

/**
 * Logins of the dashboard. A session is a cookie with the credential in it, encrypted for this server alone, so no
 * server keeps any, every API takes each, and a credential that is revoked ends its sessions with it.
 *
 * Scripts can not read the cookie, no request of another site but a click on a link carries it, and beyond loopback it travels
 * over TLS only.
 */
export class DashboardSessions {
  readonly #authenticator: Authenticator;
  readonly #key: Uint8Array;
  readonly #isSecure: boolean;

  /**
   * @param options.secret that all APIs share, 32 random bytes in base64url
   * @param options.isSecure the dashboard is reached over https
   */
  constructor(options: { authenticator: Authenticator; secret: string; isSecure: boolean }) {
    this.#authenticator = options.authenticator;
    this.#key = Buffer.from(options.secret, 'base64url');
    this.#isSecure = options.isSecure;
  }

  /** Logs in with an API key, and says so in the answer. @throws {LongshoreError} UNAUTHENTICATED · FORBIDDEN_ORIGIN */
  async begin(credential: string, request: Request, response: Response): Promise<Operator> {
    requireOwnPage(request.headers);
    return this.establish(credential, null, response);
  }

  /**
   * Logs in with a credential that came another way.
   * @param expiresInS when the credential is good no more, in seconds; null: not known
   * @throws {LongshoreError} UNAUTHENTICATED
   */
  async establish(
    credential: string,
    expiresInS: number | null,
    response: Response,
  ): Promise<Operator> {
    const access = await this.#authenticator.authenticate(bearer(credential));
    const maxAgeS = Math.min(MAX_AGE_S, expiresInS ?? MAX_AGE_S);
    await this.keep(response, 'session', { credential }, maxAgeS);
    const { log } = response.locals;
    log.identify(access.identity);
    log.audit('login', null);
    return new Operator(access, log);
  }

  end(request: Request, response: Response): void {
    requireOwnPage(request.headers);
    this.drop(response, 'session');
  }

  /**
   * The headers of a request with the credential of its session, when it has one and no credential of its own.
   *
   * @throws {LongshoreError} UNAUTHENTICATED: the session is over, or none of ours · FORBIDDEN_ORIGIN
   */
  async headersOf(request: Request): Promise<IncomingHttpHeaders> {
    const { headers, method } = request;
    if (headers.authorization !== undefined) return headers;
    if (cookieOf(headers, this.#name('session')) === null) return headers;
    if (method !== 'GET' && method !== 'HEAD') requireOwnPage(headers);
    const session = await this.kept(request, 'session');
    return { ...headers, ...bearer(String(session?.['credential'])) };
  }

  /** Has the browser keep something that only this server reads. */
  async keep(
    response: Response,
    purpose: Purpose,
    content: JWTPayload,
    maxAgeS: number,
  ): Promise<void> {
    const sealed = await new EncryptJWT(content)
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience(purpose)
      .setExpirationTime(`${maxAgeS}s`)
      .encrypt(this.#key);
    const attributes = { ...this.#attributes, maxAge: maxAgeS * 1_000 };
    response.cookie(this.#name(purpose), sealed, attributes);
  }

  /** @returns what the browser has kept; null: nothing. @throws {LongshoreError} UNAUTHENTICATED: it is old, or none of ours */
  async kept({ headers }: Request, purpose: Purpose): Promise<JWTPayload | null> {
    const sealed = cookieOf(headers, this.#name(purpose));
    if (sealed === null) return null;
    try {
      return (await jwtDecrypt(sealed, this.#key, { audience: purpose })).payload;
    } catch (cause) {
      throw unauthenticated('invalid', cause);
    }
  }

  drop(response: Response, purpose: Purpose): void {
    response.clearCookie(this.#name(purpose), this.#attributes);
  }

  #name(purpose: Purpose): string {
    const name = purpose === 'session' ? 'longshore' : `longshore-${purpose}`;
    return this.#isSecure ? `__Host-${name}` : name;
  }

  get #attributes() {
    return { httpOnly: true, sameSite: 'lax', secure: this.#isSecure, path: '/' } as const;
  }
}

const bearer = (credential: string): IncomingHttpHeaders => ({
  authorization: `Bearer ${credential}`,
});

/** @throws {LongshoreError} FORBIDDEN_ORIGIN */
function requireOwnPage(headers: IncomingHttpHeaders): void {
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined || site === 'same-origin';
  if (isOwn && headers[CSRF_HEADER] === '1') return;
  throw new LongshoreError(
    'FORBIDDEN_ORIGIN',
    `With a session, what changes something needs the header ${CSRF_HEADER}: 1, and comes from the dashboard's own page`,
  );
}

function cookieOf({ cookie = '' }: IncomingHttpHeaders, name: string): string | null {
  const prefix = `${name}=`;
  const found = cookie.split(';').find((part) => part.trim().startsWith(prefix));
  return found === undefined ? null : found.trim().slice(prefix.length);
}
