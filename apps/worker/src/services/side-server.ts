import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { LongshoreError, type Service } from '@longshore/core';

export interface SideServerOptions {
  readonly host: string;
  readonly port: number;
  /** Which variables say where it listens, for who has to mend them. */
  readonly variables: { readonly host: string; readonly port: string };
  readonly answer: RequestListener;
}

/** What a process tells of itself by HTTP, beside its work. */
export class SideServer implements Service {
  readonly #options: SideServerOptions;
  readonly #server: Server;

  constructor(options: SideServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      // One question per connection, so that stopping waits for nobody.
      response.setHeader('Connection', 'close');
      options.answer(request, response);
    });
  }

  /** @throws {LongshoreError} CONFIG_INVALID when the address is taken or not ours */
  async start(): Promise<void> {
    if (this.#server.listening) return;
    const { host, port, variables } = this.#options;
    try {
      this.#server.listen(port, host);
      await once(this.#server, 'listening');
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new LongshoreError(
        'CONFIG_INVALID',
        `can not listen on ${variables.host}=${host} ${variables.port}=${port}: ${reason}`,
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
}
