import { waitFor } from '../wait-for.ts';
import { parseMessage, serverEvents, type WireMessage } from './wire-events.ts';

/** A stream of the transport of 2024-11-05 as it is on the wire, and where its messages are posted. */
export class SseClient {
  readonly messages: WireMessage[] = [];
  /** Resolves when the stream is over, whoever ended it. */
  readonly ended: Promise<void>;
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #abort: AbortController;
  #endpoint: string | null = null;

  private constructor(
    response: Response,
    options: { base: string; headers: Readonly<Record<string, string>>; abort: AbortController },
  ) {
    this.#base = options.base;
    this.#headers = options.headers;
    this.#abort = options.abort;
    // It also ends when this client leaves.
    this.ended = this.#read(response).catch(() => {});
  }

  /** @param base any URL of the API */
  static async open(
    base: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<SseClient> {
    const abort = new AbortController();
    const response = await fetch(new URL('/sse', base), {
      headers: { accept: 'text/event-stream', ...headers },
      signal: abort.signal,
    });
    if (response.status !== 200) throw new Error(`GET /sse answered ${response.status}`);
    const client = new SseClient(response, { base, headers, abort });
    await waitFor(() => client.#endpoint, { what: 'the stream names its address' });
    return client;
  }

  get endpoint(): URL {
    return new URL(this.#endpoint ?? '', this.#base);
  }

  post(
    message: object | string,
    to: URL = this.endpoint,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return fetch(to, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...this.#headers, ...headers },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    });
  }

  /** Sends a request and waits for its answer on the stream. */
  async request(id: number, method: string, params: object = {}): Promise<WireMessage> {
    const { status } = await this.post({ jsonrpc: '2.0', id, method, params });
    if (status !== 202) throw new Error(`${method} answered ${status}`);
    return waitFor(() => this.messages.find((message) => message.id === id), {
      what: `the answer of ${method}`,
    });
  }

  async initialize(protocolVersion = '2024-11-05'): Promise<WireMessage> {
    const clientInfo = { name: 'sse', version: '1' };
    return this.request(0, 'initialize', { protocolVersion, capabilities: {}, clientInfo });
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(response: Response): Promise<void> {
    for await (const { event, data } of serverEvents(response)) {
      if (event === 'endpoint') this.#endpoint = data;
      if (event === 'message') this.messages.push(parseMessage(data));
    }
  }
}
