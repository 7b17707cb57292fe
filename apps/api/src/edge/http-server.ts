import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { LongshoreError, type Service } from '@longshore/core';
import { RequestLine } from './request-line.ts';
import type { UnreadAnswers } from './unread-answers.ts';

/** A request must be here whole within this time; answers may take as long as they want. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Idle connections are kept longer than common proxies keep theirs, so that the proxy closes first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const STOP_GRACE_MS = 2_000;

export interface HttpServerOptions {
  readonly handler: RequestListener;
  readonly host: string;
  readonly port: number;
  /** A client that takes nothing of its answer for this long, in milliseconds, is cut off. */
  readonly stalledReaderMs: number;
  readonly unread: UnreadAnswers;
}

/** The listening socket. Stopping lets answers on their way finish, then closes what is left. */
export class HttpServer implements Service {
  readonly #server: Server;
  readonly #host: string;
  readonly #port: number;

  constructor(options: HttpServerOptions) {
    const lines = new WeakMap<Socket, RequestLine>();
    this.#server = createServer(
      { requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS },
      (request, response) => {
        // Not for the whole server: a connection whose request is not here yet has nothing to take.
        response.setTimeout(options.stalledReaderMs).on('timeout', cutWhenStalled);
        lines.get(request.socket)?.add(request, response);
      },
    );
    this.#server.on('connection', (socket) => {
      lines.set(socket, new RequestLine(socket, options.handler));
      options.unread.watch(socket);
    });
    this.#host = options.host;
    this.#port = options.port;
  }

  /** @throws {LongshoreError} CONFIG_INVALID when the address is taken or not ours */
  async start(): Promise<void> {
    if (this.#server.listening) return;
    try {
      this.#server.listen(this.#port, this.#host);
      await once(this.#server, 'listening');
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new LongshoreError(
        'CONFIG_INVALID',
        `can not listen on HOST=${this.#host} PORT=${this.#port}: ${reason}`,
        { cause },
      );
    }
  }

  /** The base URL, with the port that was really taken. */
  get url(): string {
    const address = this.#server.address();
    const port = typeof address === 'object' && address !== null ? address.port : this.#port;
    const everywhere = this.#host === '0.0.0.0' || this.#host === '::';
    const host = everywhere
      ? '127.0.0.1'
      : this.#host.includes(':')
        ? `[${this.#host}]`
        : this.#host;
    return `http://${host}:${port}`;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeIdleConnections();
    const timer = setTimeout(() => this.#server.closeAllConnections(), STOP_GRACE_MS);
    await closed;
    clearTimeout(timer);
  }
}

/**
 * Called when nothing went over the connection of an answer for a while: also not what waits to go, for Node
 * counts every part that the client takes. An answer of which nothing waits is only not ready yet.
 */
function cutWhenStalled(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}
