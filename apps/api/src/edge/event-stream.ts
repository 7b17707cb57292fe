import type { ServerResponse } from 'node:http';
import type { JsonRpcResponse, ServerMessage } from '@longshore/protocol';
import type { KeepAlive, KeptAlive } from './keep-alive.ts';
import { whenClosed } from './when-closed.ts';

/**
 * 1 MiB waiting for a reader who does not read: then the next message cuts the stream, the client may come
 * back. A single message may be larger.
 */
export const MAX_BUFFERED_BYTES = 1_048_576;
/** How long a client waits before it comes back. Spread, so that those of a lost replica do not come at once. */
const MIN_RETRY_MS = 500;
const RETRY_SPREAD_MS = 1_000;

/**
 * A server-sent event stream of JSON-RPC messages.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html · 2025-11-25 basic/transports
 */
export class EventStream implements KeptAlive {
  readonly #response: ServerResponse;
  readonly #keepAlive: KeepAlive;
  #silent = false;

  /**
   * @param primer id of an empty first event, so that the client can come back before it has seen any other;
   *   only for revision 2025-11-25, older clients take the empty data for a broken message
   */
  constructor(response: ServerResponse, keepAlive: KeepAlive, primer: string | null = null) {
    this.#response = response;
    this.#keepAlive = keepAlive;
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
      Connection: 'keep-alive',
      'X-Accel-Buffering': 'no',
    });
    if (primer === null) response.flushHeaders();
    else this.#write(`id: ${primer}\nretry: ${retryMs()}\ndata:\n\n`);
    keepAlive.add(this);
    whenClosed(response, () => keepAlive.delete(this));
  }

  /** @param id with which the client can come back for what follows this message; null: it can not */
  send(message: ServerMessage | JsonRpcResponse, id: string | null = null): void {
    this.#silent = false;
    const name = id === null ? '' : `id: ${id}\n`;
    this.#write(`event: message\n${name}data: ${JSON.stringify(message)}\n\n`);
  }

  beat(): void {
    if (this.#silent) this.#write(': keep-alive\n\n');
    this.#silent = true;
  }

  /** @param id of an empty last event for a client that would come back; null: none */
  end(id: string | null = null): void {
    this.#keepAlive.delete(this);
    if (id !== null) this.#write(`id: ${id}\ndata:\n\n`);
    if (!this.#response.writableEnded) this.#response.end();
  }

  /** Ends the connection but not the stream: the client comes back, to whatever replica. */
  part(): void {
    this.#write(`retry: ${retryMs()}\n\n`);
    this.end();
  }

  #write(text: string): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    if (this.#response.writableLength > MAX_BUFFERED_BYTES) this.#response.destroy();
    else this.#response.write(text);
  }
}

function retryMs(): number {
  return MIN_RETRY_MS + Math.floor(Math.random() * RETRY_SPREAD_MS);
}
