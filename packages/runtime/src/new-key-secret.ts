import { createHash, randomBytes } from 'node:crypto';

/** 256 bits: nobody guesses one, so a fast hash is good enough to store it (RFC 6749, 10.10). */
const SECRET_BYTES = 32;
/** Enough to tell keys apart, and 30 of the 256 bits. */
const PREFIX_LENGTH = 'ls_'.length + 5;

/** The secret of an API key that is about to be made, and what is stored of it. */
export function newKeySecret(): { secret: string; prefix: string; hash: Uint8Array } {
  const secret = `ls_${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return {
    secret,
    prefix: secret.slice(0, PREFIX_LENGTH),
    hash: createHash('sha256').update(secret).digest(),
  };
}
