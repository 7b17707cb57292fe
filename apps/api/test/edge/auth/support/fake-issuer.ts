import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

/** Claims of a token, right or wrong. */
export type Claims = Readonly<Record<string, unknown>>;

interface SigningKey {
  readonly kid: string;
  readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  readonly jwk: JWK;
}

/** An authorization server over real HTTP that issues whatever a test wants. */
export class FakeIssuer {
  readonly #server: Server;
  #keys: SigningKey[] = [];
  #lastKid = 0;
  /** Paths that were asked for. */
  readonly asked: string[] = [];
  /** HTTP status of what it answers. */
  status = 200;
  /** What it calls itself in its metadata; null: what it is. */
  name: string | null = null;

  constructor() {
    this.#server = createServer((request, response) => {
      this.asked.push(request.url ?? '');
      const body = this.#answers()[request.url ?? ''];
      response.writeHead(body === undefined ? 404 : this.status, {
        'content-type': 'application/json',
      });
      response.end(JSON.stringify(body ?? {}));
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    await this.rotate();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/realm`;
  }

  get origin(): string {
    return new URL(this.url).origin;
  }

  /** Signs with a new key from now on, and knows no other. */
  async rotate(): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    this.#lastKid += 1;
    const kid = `key-${this.#lastKid}`;
    this.#keys = [{ kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256' } }];
  }

  /** The public key, for who would mistake it for a secret. */
  get publicKey(): Uint8Array {
    return new TextEncoder().encode(JSON.stringify(this.#key.jwk));
  }

  /** A token that is good for a minute but for what `claims` and `header` say; undefined leaves one out. */
  async token(claims: Claims = {}, header: { typ?: string; kid?: string } = {}) {
    const { kid, privateKey } = this.#key;
    const now = Math.floor(Date.now() / 1_000);
    return new SignJWT({
      iss: this.url,
      aud: 'https://jobs.test/mcp',
      sub: 'ada',
      client_id: 'app',
      scope: 'tasks:read tools:*',
      iat: now,
      exp: now + 60,
      ...claims,
    })
      .setProtectedHeader({ alg: 'ES256', kid, typ: 'at+jwt', ...header })
      .sign(privateKey);
  }

  get #key(): SigningKey {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('not started');
    return key;
  }

  #answers(): Record<string, unknown> {
    return {
      '/realm/.well-known/openid-configuration': {
        issuer: this.name ?? this.url,
        jwks_uri: `${this.origin}/keys`,
      },
      '/keys': { keys: this.#keys.map(({ jwk }) => jwk) },
    };
  }
}
