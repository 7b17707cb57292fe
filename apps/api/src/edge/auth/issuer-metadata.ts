import { LongshoreError } from '@longshore/core';
import * as z from 'zod';

const MAX_BYTES = 262_144;

const Metadata = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

/**
 * Where an authorization server publishes its keys, by its metadata.
 *
 * @param timeoutMs for each of the places where metadata may be
 * @throws {LongshoreError} ISSUER_UNAVAILABLE when there is none, or it is somebody else's
 * @see RFC 8414, 3 · OpenID Connect Discovery 1.0, 4
 */
export async function discoverKeys(issuer: string, timeoutMs: number): Promise<URL> {
  const reasons: string[] = [];
  for (const place of placesOf(issuer)) {
    try {
      const found = Metadata.parse(await readJson(place, timeoutMs));
      if (found.issuer !== issuer) throw new Error(`is of ${found.issuer}`);
      const keys = new URL(found.jwks_uri);
      if (keys.protocol !== 'https:' && !issuer.startsWith('http:')) {
        throw new Error('has keys without https');
      }
      return keys;
    } catch (error) {
      reasons.push(`${place}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new LongshoreError('ISSUER_UNAVAILABLE', 'The authorization server can not be asked', {
    cause: new Error(`no metadata of the issuer: ${reasons.join('; ')}`),
  });
}

function placesOf(issuer: string): URL[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const places = [
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
    `${path}/.well-known/openid-configuration`,
  ];
  return [...new Set(places)].map((place) => new URL(place, origin));
}

async function readJson(url: URL, timeoutMs: number): Promise<unknown> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new Error(`answered ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Error(`is over ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
