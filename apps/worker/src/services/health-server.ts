import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { LongshoreError, type Service } from '@longshore/core';

export interface HealthServerOptions {
  readonly host: string;
  readonly port: number;
  /** Whether the worker has its seats and Postgres has heard of it lately. */
  readonly isReady: () => boolean;
}

/** /healthz: the process lives. /readyz: the worker takes tasks; 503 before that, after that, and while Postgres is away. */
export class HealthServer implements Service {
  readonly #options: HealthServerOptions;
  readonly #server: Server;

  constructor(options: HealthServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      // One question per connection, so that stopping waits for nobody.
      response.setHeader('Connection', 'close').setHeader('Content-Type', 'application/json');
      const [code, body] = this.#answer(request.url);
      response.writeHead(code).end(JSON.stringify(body));
    });
  }

  /** @throws {LongshoreError} CONFIG_INVALID when the address is taken or not ours */
  async start(): Promise<void> {
    if (this.#server.listening) return;
    const { host, port } = this.#options;
    try {
      this.#server.listen(port, host);
      await once(this.#server, 'listening');
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new LongshoreError(
        'CONFIG_INVALID',
        `can not listen on HOST=${host} HEALTH_PORT=${port}: ${reason}`,
        { cause },
      );
    }
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #answer(path: string | undefined): [number, { readonly status: string }] {
    if (path === '/healthz') return [200, { status: 'ok' }];
    if (path !== '/readyz') return [404, { status: 'not found' }];
    return this.#options.isReady() ? [200, { status: 'ready' }] : [503, { status: 'not ready' }];
  }
}
