import { parseMessage, type WireMessage, WireStream, wireEvents } from './wire-events.ts';

const REQUEST_TIMEOUT_MS = 30_000;

/** One answer to a POST: what HTTP said, and the JSON-RPC messages in the order they came. */
export interface WireAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly messages: readonly WireMessage[];
  /** The last message, which is the answer. */
  readonly last: WireMessage;
}

/**
 * MCP by hand, so that tests see exactly what is on the wire and can send what no client would. Any
 * request may go to any replica.
 */
export class WireClient {
  readonly #urls: readonly string[];
  #authorization: Record<string, string> = {};
  #sessionId: string | null = null;
  #version = '2025-11-25';
  #lastId = 0;

  constructor(...urls: readonly string[]) {
    this.#urls = urls;
  }

  /** A client of one server, in a session of its own. */
  static async initialized(url: string): Promise<WireClient> {
    const client = new WireClient(url);
    await client.initialize();
    return client;
  }

  /** Another client of the same servers, with an Authorization header of its own; null: without one. */
  withAuthorization(value: string | null): WireClient {
    const client = new WireClient(...this.#urls);
    client.#authorization = value === null ? {} : { authorization: value };
    return client;
  }

  /** The same, in the session of this client or another one. */
  impostor(value: string | null, sessionId: string | null = null): WireClient {
    const client = this.withAuthorization(value);
    client.#sessionId = sessionId ?? this.#sessionId;
    return client;
  }

  get sessionId(): string {
    if (this.#sessionId === null) throw new Error('not initialized');
    return this.#sessionId;
  }

  /** @param capabilities of the client: what it can be asked */
  async initialize(protocolVersion = '2025-11-25', capabilities = {}): Promise<WireMessage> {
    const response = await this.post({
      jsonrpc: '2.0',
      id: 'init',
      method: 'initialize',
      params: { protocolVersion, capabilities, clientInfo: { name: 'wire', version: '1' } },
    });
    this.#sessionId = response.headers.get('mcp-session-id');
    this.#version = protocolVersion;
    const { last } = await readAnswer(response);
    await this.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return last;
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Sends a request and reads its whole answer. */
  async request(
    method: string,
    params: object = {},
    options: { replica?: number; id?: number } = {},
  ) {
    const id = options.id ?? this.nextId();
    return readAnswer(await this.post({ jsonrpc: '2.0', id, method, params }, options));
  }

  /** The result of a request; fails the test when it is an error. */
  async result(method: string, params: object = {}, options: { replica?: number } = {}) {
    const { last } = await this.request(method, params, options);
    if (last.result === undefined) throw new Error(`${method}: ${JSON.stringify(last)}`);
    return last.result;
  }

  /** The error of a request; fails the test when there is none. */
  async error(method: string, params: object = {}, options: { replica?: number } = {}) {
    const { last } = await this.request(method, params, options);
    if (last.error === undefined)
      throw new Error(`${method}: no error but ${JSON.stringify(last)}`);
    return last.error;
  }

  async notify(
    method: string,
    params: object,
    options: { replica?: number } = {},
  ): Promise<Response> {
    return this.post({ jsonrpc: '2.0', method, params }, options);
  }

  post(
    body: unknown,
    options: { replica?: number; headers?: Record<string, string>; signal?: AbortSignal } = {},
  ): Promise<Response> {
    return fetch(this.#url(options.replica), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...this.#ownHeaders(),
        ...options.headers,
      },
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      signal: options.signal ?? AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
  }

  /** Sends a request and gives back its answer while it comes. */
  async open(
    method: string,
    params: object = {},
    options: { replica?: number; id?: string | number } = {},
  ): Promise<WireStream> {
    const abort = new AbortController();
    const id = options.id ?? this.nextId();
    const message = { jsonrpc: '2.0', id, method, params };
    return new WireStream(await this.post(message, { ...options, signal: abort.signal }), abort);
  }

  /** Answers a request of the server, with a result or `{ error }`. @returns the HTTP status */
  async respond(
    to: WireMessage,
    result: object,
    options: { replica?: number } = {},
  ): Promise<number> {
    const answer = 'error' in result ? result : { result };
    const response = await this.post({ jsonrpc: '2.0', id: to.id, ...answer }, options);
    return response.status;
  }

  /** Opens the session's GET stream, or goes on with a stream that broke. */
  async listen(
    options: { replica?: number; lastEventId?: string | null } = {},
  ): Promise<WireStream> {
    const abort = new AbortController();
    const response = await this.get(options, abort.signal);
    if (response.status !== 200) throw new Error(`GET answered ${response.status}`);
    return new WireStream(response, abort);
  }

  get(
    options: { replica?: number; lastEventId?: string | null },
    signal?: AbortSignal,
  ): Promise<Response> {
    const { lastEventId = null } = options;
    return fetch(this.#url(options.replica), {
      headers: {
        accept: 'text/event-stream',
        ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }),
        ...this.#ownHeaders(),
      },
      signal: signal ?? AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
  }

  async delete(options: { replica?: number } = {}): Promise<number> {
    return (await this.deleteRaw(options)).status;
  }

  deleteRaw(options: { replica?: number } = {}): Promise<Response> {
    return fetch(this.#url(options.replica), { method: 'DELETE', headers: this.#ownHeaders() });
  }

  #url(replica = 0): string {
    const url = this.#urls[replica];
    if (url === undefined) throw new Error(`no replica ${replica}`);
    return url;
  }

  #ownHeaders(): Record<string, string> {
    return {
      ...this.#authorization,
      ...(this.#sessionId === null
        ? {}
        : { 'mcp-session-id': this.#sessionId, 'mcp-protocol-version': this.#version }),
    };
  }
}

export async function readAnswer(response: Response): Promise<WireAnswer> {
  const contentType = response.headers.get('content-type') ?? '';
  const messages: WireMessage[] = [];
  if (contentType.startsWith('text/event-stream')) {
    for await (const { message } of wireEvents(response)) {
      if (message !== null) messages.push(message);
    }
  } else {
    const text = await response.text();
    if (text !== '') messages.push(parseMessage(text));
  }
  const last = messages.at(-1);
  if (last === undefined) throw new Error(`empty answer, HTTP ${response.status}`);
  return { status: response.status, contentType, messages, last };
}
