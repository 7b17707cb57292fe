import { createHash, timingSafeEqual } from 'node:crypto';

const PREFIX = 'Bearer ';

/**
 * Knows one bearer token. By digests, which are of one length: comparing says nothing of how much of a guess is right.
 *
 * @returns whether an Authorization header shows the token
 */
export function tokenCheck(token: string): (authorization: string | undefined) => boolean {
  const expected = digest(token);
  return (authorization) =>
    authorization?.startsWith(PREFIX) === true &&
    timingSafeEqual(digest(authorization.slice(PREFIX.length)), expected);
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
