import * as z from 'zod';

const name = z.string().min(1).max(1_024);
const scopes = z.union([
  z.string().transform((text) => text.split(' ').filter((scope) => scope !== '')),
  z.array(z.string()),
]);

/**
 * What of a verified access token counts here. `cnf` binds a token to a key that the caller must prove to
 * have, which a Bearer header does not: such a token is refused, not taken for less (RFC 9449, 7.2).
 *
 * @see RFC 9068, 2.2 · `scp` and `azp` are what some issuers say for `scope` and `client_id`
 */
export const TokenClaims = z
  .object({
    iss: name,
    sub: name,
    client_id: name.optional(),
    azp: name.optional(),
    scope: scopes.optional(),
    scp: scopes.optional(),
    exp: z.number(),
    cnf: z.never().optional(),
  })
  .transform(({ iss, sub, client_id, azp, scope, scp, exp }) => ({
    /** One text for (issuer, subject, client): the same user through another client is somebody else. */
    subject: JSON.stringify([iss, sub, client_id ?? azp ?? null]),
    scopes: scope ?? scp ?? [],
    expiresAtMs: exp * 1_000,
  }));
export type TokenClaims = z.output<typeof TokenClaims>;
