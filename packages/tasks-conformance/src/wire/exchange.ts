import type { Inbox } from './inbox.ts';
import { isResponse, type JsonRpcMessage, parseMessage, type RequestId } from './json-rpc.ts';
import { isEventStream, readStream } from './stream-reader.ts';
import { WireError } from './wire-error.ts';

/** How an exchange reaches the server: one POST, and GETs to resume its stream. */
export interface ExchangeTransport {
  readonly inbox: Inbox;
  post(body: string, signal: AbortSignal): Promise<Response>;
  /** Null when the server has nothing to resume. */
  resume(lastEventId: string, signal: AbortSignal): Promise<Response | null>;
}

/** One request on its way: a POST whose answer is a JSON body or a stream. */
export class Exchange {
  readonly id: RequestId;
  /** Number of its stream within the session. */
  readonly stream: number;
  /** Resolves with HTTP status and content type, as soon as they are here. */
  readonly opened: Promise<{ readonly status: number; readonly contentType: string }>;
  /** Rejects with a WireError when the answer is none or does not come. */
  readonly response: Promise<JsonRpcMessage>;
  /** Resolves when body or stream is over, whatever came. */
  readonly ended: Promise<void>;
  readonly #transport: ExchangeTransport;
  readonly #abort = new AbortController();
  #answer: JsonRpcMessage | null = null;
  #lastEventId: string | null = null;

  constructor(
    transport: ExchangeTransport,
    options: { id: RequestId; stream: number; method: string; params: object },
  ) {
    this.id = options.id;
    this.stream = options.stream;
    this.#transport = transport;
    const { method, params } = options;
    const posted = transport.post(
      JSON.stringify({ jsonrpc: '2.0', id: options.id, method, params }),
      this.#abort.signal,
    );
    this.opened = posted.then(({ status, headers }) => ({
      status,
      contentType: headers.get('content-type') ?? '',
    }));
    const { promise, resolve, reject } = withResolvers<JsonRpcMessage>();
    this.response = promise;
    this.ended = posted
      .then((response) => this.#read(response, resolve))
      .then(() => reject(new WireError(`${method} ended without a response`)), reject);
    // Whoever waits for one of them hears of it; nobody has to.
    for (const unheard of [this.opened, this.response]) unheard.catch(() => {});
  }

  /** The response, if it has come. */
  get answer(): JsonRpcMessage | null {
    return this.#answer;
  }

  /** Id of the stream's last event, to resume from; null when there was none. */
  get lastEventId(): string | null {
    return this.#lastEventId;
  }

  /** Closes the connection, as a client does that loses its network. */
  disconnect(): void {
    this.#abort.abort();
  }

  async #read(response: Response, resolve: (answer: JsonRpcMessage) => void): Promise<void> {
    const take = (message: JsonRpcMessage, eventId: string | null): void => {
      this.#transport.inbox.add({ stream: this.stream, kind: 'post', message, eventId });
      if (!isResponse(message)) return;
      if (message.id !== undefined && message.id !== this.id) {
        throw new WireError(`response to ${message.id} on the stream of request ${this.id}`);
      }
      this.#answer = message;
      resolve(message);
    };
    if (!isEventStream(response)) {
      const text = await response.text();
      if (text !== '') take(parseBody(text, response.status), null);
      return;
    }
    await readStream(response, {
      signal: this.#abort.signal,
      onMessage: take,
      onEventId: (id) => {
        this.#lastEventId = id;
      },
      isComplete: () => this.#answer !== null,
      resume: (lastEventId) =>
        lastEventId === null
          ? Promise.resolve(null)
          : this.#transport.resume(lastEventId, this.#abort.signal),
    });
  }
}

function parseBody(text: string, status: number): JsonRpcMessage {
  try {
    return parseMessage(text);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new WireError(`HTTP ${status}, ${error.message}`);
  }
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((settle, refuse) => {
    resolve = settle;
    reject = refuse;
  });
  return { promise, resolve, reject };
}
