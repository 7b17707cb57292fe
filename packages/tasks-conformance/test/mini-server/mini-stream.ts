import type { ServerResponse } from 'node:http';
import type { JsonRpcMessage } from '../../src/wire/json-rpc.ts';

/** A server-sent event stream that remembers its events, so that it can be resumed. */
export class MiniStream {
  readonly number: number;
  readonly kind: 'get' | 'post';
  readonly events: string[] = [];
  #response: ServerResponse | null = null;
  /** There is a response, but no event yet. */
  #isLazy = false;
  #ended = false;
  readonly #idOf: (stream: number, event: number) => string;

  constructor(
    number: number,
    kind: 'get' | 'post',
    idOf: (stream: number, event: number) => string,
  ) {
    this.number = number;
    this.kind = kind;
    this.#idOf = idOf;
  }

  get isOpen(): boolean {
    return this.#response !== null && !this.#ended;
  }

  /**
   * @param options.onClose called when the client is gone before the stream has ended
   * @param options.replay events to write again, as they are
   * @param options.isLazy whether it becomes a stream only when there is something to send
   */
  open(
    response: ServerResponse,
    options: { onClose?: () => void; replay?: readonly string[]; isLazy?: boolean } = {},
  ): void {
    this.#response = response;
    this.#isLazy = options.isLazy === true;
    if (!this.#isLazy) this.#start(response);
    response.once('close', () => {
      if (this.#response !== response) return;
      this.#response = null;
      if (!this.#ended) options.onClose?.();
    });
    for (const event of options.replay ?? []) response.write(event);
    if (this.#ended) response.end();
  }

  /** The event a client resumes from that has got nothing yet. */
  prime(): void {
    if (!this.#isLazy) this.#event('');
  }

  /** Closes the connection; the stream goes on when the client resumes it. */
  cut(): void {
    const response = this.#response;
    this.#response = null;
    response?.end('retry: 20\n\n');
  }

  /** Sends the response to the request, which is all there is of a lazy stream that was not needed. */
  answer(message: JsonRpcMessage): void {
    const response = this.#response;
    if (this.#isLazy && response !== null) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
    } else {
      this.send(message);
    }
  }

  send(message: JsonRpcMessage): void {
    this.#event(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  end(): void {
    this.#ended = true;
    this.#response?.end();
  }

  #start(response: ServerResponse): void {
    this.#isLazy = false;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
  }

  #event(data: string): void {
    if (this.#isLazy && this.#response !== null) this.#start(this.#response);
    const event = `id: ${this.#idOf(this.number, this.events.length)}\ndata: ${data}\n\n`;
    this.events.push(event);
    this.#response?.write(event);
  }
}
