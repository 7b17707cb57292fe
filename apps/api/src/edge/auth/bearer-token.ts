import type { IncomingHttpHeaders } from 'node:http';
import { LongshoreError } from '@longshore/core';

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

/**
 * The token of an Authorization header (RFC 6750, 2.1). Tokens anywhere else are not looked at.
 *
 * @throws {LongshoreError} UNAUTHENTICATED
 */
export function bearerToken({ authorization }: IncomingHttpHeaders): string {
  if (authorization === undefined) throw unauthenticated('missing');
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined) throw unauthenticated('invalid');
  return token;
}

/** The same words for everything that can be wrong, so that nobody learns which keys once were good. */
export function unauthenticated(credentials: 'missing' | 'invalid', cause?: unknown) {
  return new LongshoreError(
    'UNAUTHENTICATED',
    'Valid credentials are needed: send Authorization: Bearer with a key or token that is good now',
    { cause: credentials === 'missing' ? new MissingCredentials() : cause },
  );
}

/** Why a request is refused that did not try: its challenge names no error (RFC 6750, 3.1). */
export class MissingCredentials extends Error {
  override readonly name = 'MissingCredentials';

  constructor() {
    super('no Authorization header');
  }
}
