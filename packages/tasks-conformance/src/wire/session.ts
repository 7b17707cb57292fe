import { Exchange } from './exchange.ts';
import type { HttpEndpoint } from './http-endpoint.ts';
import { Inbox, type Received } from './inbox.ts';
import { at, isObject, type JsonObject } from './json.ts';
import { isRequest, type JsonRpcMessage, type RequestId } from './json-rpc.ts';
import { Listening } from './listening.ts';
import { isEventStream } from './stream-reader.ts';
import { inTime, type Wait } from './waiting.ts';
import { WireError } from './wire-error.ts';

const CLOSE_TIMEOUT_MS = 2_000;

export interface SessionOptions {
  readonly protocolVersion: string;
  /** Capabilities the client declares. */
  readonly capabilities: JsonObject;
  /** Fires when nothing of the session is waited for any more. */
  readonly signal: AbortSignal;
}

/** What came of a notification or a response that was posted. */
export interface Receipt {
  readonly status: number;
  readonly body: string;
}

/** A client of Streamable HTTP that does what it is told, no more: one session with the server. */
export class Session {
  readonly inbox = new Inbox((message) => this.#answerPing(message));
  readonly signal: AbortSignal;
  readonly #endpoint: HttpEndpoint;
  readonly #open = new Set<{ disconnect(): void }>();
  #id: string | null = null;
  #version: string;
  #lastRequest = 0;
  #lastStream = 0;
  #initialized: JsonObject = {};
  #initializedReceipt: Receipt = { status: 0, body: '' };

  private constructor(endpoint: HttpEndpoint, options: SessionOptions) {
    this.#endpoint = endpoint;
    this.#version = options.protocolVersion;
    this.signal = options.signal;
  }

  /** @throws {WireError} when the server refuses; {@link Violation} when it does not answer */
  static async open(endpoint: HttpEndpoint, options: SessionOptions): Promise<Session> {
    const session = new Session(endpoint, options);
    const answer = await session.call('initialize', {
      protocolVersion: options.protocolVersion,
      capabilities: options.capabilities,
      clientInfo: { name: 'mcp-tasks-conformance', version: '0.1.0' },
    });
    if (answer.result === undefined) {
      throw new WireError(`initialize: ${answer.error?.message}`);
    }
    session.#initialized = answer.result;
    session.#version = String(answer.result['protocolVersion']);
    session.#initializedReceipt = await session.notify('notifications/initialized');
    return session;
  }

  /** Result of `initialize`. */
  get initialized(): JsonObject {
    return this.#initialized;
  }

  /** What the server said to notifications/initialized. */
  get initializedReceipt(): Receipt {
    return this.#initializedReceipt;
  }

  /** The revision that was negotiated. */
  get version(): string {
    return this.#version;
  }

  /** Whether the server gave the session an id, so that nothing in it is of others. */
  get isOwn(): boolean {
    return this.#id !== null;
  }

  /** Sends a request without waiting for anything. */
  request(method: string, params: object = {}): Exchange {
    this.#lastRequest += 1;
    this.#lastStream += 1;
    const exchange = new Exchange(
      {
        inbox: this.inbox,
        post: (body, signal) => this.#post(body, signal),
        resume: (lastEventId, signal) => this.#get(lastEventId, signal),
      },
      { id: this.#lastRequest, stream: this.#lastStream, method, params },
    );
    this.#open.add(exchange);
    void exchange.ended.finally(() => this.#open.delete(exchange));
    return exchange;
  }

  /** Sends a request and waits for its response, which may be an error. */
  async call(
    method: string,
    params: object = {},
    wait: Partial<Wait> = {},
  ): Promise<JsonRpcMessage> {
    const { response } = this.request(method, params);
    return inTime(response, { signal: this.signal, what: `an answer to ${method}`, ...wait });
  }

  notify(method: string, params: object = {}): Promise<Receipt> {
    return this.send({ jsonrpc: '2.0', method, params });
  }

  /** Answers a request of the server. */
  answer(id: RequestId, result: JsonObject): Promise<Receipt> {
    return this.send({ jsonrpc: '2.0', id, result });
  }

  /** Answers a request of the server with an error. */
  refuse(id: RequestId, code: number, message: string): Promise<Receipt> {
    return this.send({ jsonrpc: '2.0', id, error: { code, message } });
  }

  /** Posts whatever is no request. */
  async send(message: object): Promise<Receipt> {
    const response = await inTime(this.#post(JSON.stringify(message), this.signal), {
      signal: this.signal,
      what: 'an HTTP answer to a notification or response',
    });
    return { status: response.status, body: await response.text() };
  }

  /** Opens a GET stream. @returns null when the server offers none (405), or no further one */
  async listen(lastEventId: string | null = null): Promise<Listening | null> {
    this.#lastStream += 1;
    const listening = await Listening.open({
      stream: this.#lastStream,
      inbox: this.inbox,
      lastEventId,
      get: (eventId, signal) => this.#get(eventId, signal),
      signal: this.signal,
    });
    if (listening !== null) this.#open.add(listening);
    return listening;
  }

  /** The first message that `matches`, which may be here already. */
  first(matches: (received: Received) => boolean, wait: Omit<Wait, 'signal'>): Promise<Received> {
    return this.inbox.first(matches, { signal: this.signal, ...wait });
  }

  /** Lets go of everything; the server may end the session. */
  async close(): Promise<void> {
    for (const open of this.#open) open.disconnect();
    if (this.#id === null) return;
    const signal = AbortSignal.timeout(CLOSE_TIMEOUT_MS);
    await this.#endpoint
      .send({ method: 'DELETE', headers: this.#headers(), signal })
      .then((response) => response.body?.cancel())
      .catch(() => {});
  }

  #answerPing(message: JsonRpcMessage): void {
    if (message.id === undefined || !isRequestFor(message, 'ping')) return;
    this.answer(message.id, {}).catch(() => {});
  }

  async #post(body: string, signal: AbortSignal): Promise<Response> {
    const response = await this.#endpoint.send({
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...this.#headers(),
      },
      body,
      signal,
    });
    this.#id ??= response.headers.get('mcp-session-id');
    return response;
  }

  async #get(lastEventId: string | null, signal: AbortSignal): Promise<Response | null> {
    const response = await this.#endpoint.send({
      method: 'GET',
      headers: {
        accept: 'text/event-stream',
        ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }),
        ...this.#headers(),
      },
      signal,
    });
    if (response.status === 200 && isEventStream(response)) return response;
    await response.body?.cancel();
    return null;
  }

  #headers(): Record<string, string> {
    // The server learns the version from `initialize`; the header is for what follows.
    if (Object.keys(this.#initialized).length === 0) return {};
    return {
      'mcp-protocol-version': this.#version,
      ...(this.#id === null ? {} : { 'mcp-session-id': this.#id }),
    };
  }
}

/** Whether a message is a request of the server for `method`. */
export function isRequestFor(message: JsonRpcMessage, method: string): boolean {
  return isRequest(message) && message.method === method;
}

/** The task a message says it belongs to; undefined without such metadata. */
export function relatedTask(message: JsonRpcMessage): unknown {
  const meta = at(message.result ?? message.params, '_meta');
  const related = at(meta, 'io.modelcontextprotocol/related-task');
  return isObject(related) ? related['taskId'] : related;
}
