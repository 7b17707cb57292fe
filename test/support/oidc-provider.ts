import path from 'node:path';
import { type SpawnedProcess, spawnProcess } from '@longshore/testing/processes';
import * as z from 'zod';

const PROVIDER = path.join(import.meta.dirname, '..', 'fixtures', 'oidc-provider.js');
const TokenAnswer = z.object({ access_token: z.string() });

/** A real authorization server with two clients, `ada` and `bob`. */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly process: SpawnedProcess;
  /** Gets a token, as a client does (client credentials, RFC 8707). */
  token(client: 'ada' | 'bob', scope: string, resource?: string): Promise<string>;
}

export const secretOf = (client: 'ada' | 'bob'): string => `secret-of-${client}`;

/**
 * @param resource what its tokens are for unless a client says otherwise
 * @param lifetimeS of its tokens, in seconds
 * @param redirectUri where people who log in are sent back to; null: nobody does
 */
export async function startAuthorizationServer(
  resource: string,
  lifetimeS = 600,
  redirectUri: string | null = null,
): Promise<AuthorizationServer> {
  const provider = await spawnProcess(
    process.execPath,
    [PROVIDER, resource, String(lifetimeS), ...(redirectUri === null ? [] : [redirectUri])],
    {
      ready: /issuer ready/,
    },
  );
  const issuer = /ready at (\S+)/.exec(await provider.waitForLine(/issuer ready/))?.[1] ?? '';
  return {
    issuer,
    process: provider,
    token: async (client, scope, wanted = resource) => {
      const credentials = Buffer.from(`${client}:${secretOf(client)}`).toString('base64');
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${credentials}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope, resource: wanted }),
      });
      return TokenAnswer.parse(await response.json()).access_token;
    },
  };
}
