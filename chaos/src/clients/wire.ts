import { parseMessage, serverEvents, type WireMessage } from '@longshore/testing/mcp';

/** No answer, or none that could be read: the client does not know what the server did. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  /** Of an answer that was HTTP and nothing more; null: there was none. */
  readonly status: number | null;

  constructor(message: string, options: { cause?: unknown; status?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = options.status ?? null;
  }
}

export interface WireRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON-RPC message; null for GET. */
  readonly body: object | null;
  /** Id of the request whose answer is waited for; null: whatever HTTP says is the answer. */
  readonly id: string | number | null;
  /** Fires when nobody wants the answer any more. */
  readonly signal: AbortSignal;
  /** Messages other than the answer. */
  readonly onMessage?: (message: WireMessage) => void;
  /** Ids of the events of a stream, as they come. */
  readonly onEventId?: (id: string) => void;
}

export interface WireResponse {
  readonly status: number;
  readonly sessionId: string | null;
  /** Null when no answer was waited for. */
  readonly answer: WireMessage | null;
}

/** A server that says nothing for so long is given up; it sends something every 5 s while it is well. */
const SILENCE_MS = 10_000;

/**
 * One HTTP exchange, read until the answer is there.
 *
 * @throws {ConnectionLost} whatever went wrong below JSON-RPC
 */
export async function exchange(request: WireRequest): Promise<WireResponse> {
  // Not AbortSignal.any with AbortSignal.timeout: on Node 20 it may be collected before it fires.
  const abort = new AbortController();
  const onAbort = (): void => abort.abort();
  request.signal.addEventListener('abort', onAbort, { once: true });
  if (request.signal.aborted) onAbort();
  const silence = setTimeout(onAbort, SILENCE_MS);
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers: request.headers,
      signal: abort.signal,
      ...(request.body === null ? {} : { body: JSON.stringify(request.body) }),
    });
    return await read(request, response, () => silence.refresh());
  } catch (error) {
    if (error instanceof ConnectionLost) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new ConnectionLost(String(cause), { cause: error });
  } finally {
    clearTimeout(silence);
    request.signal.removeEventListener('abort', onAbort);
    // Ends what is left of a stream whose answer came.
    abort.abort();
  }
}

async function read(
  request: WireRequest,
  response: Response,
  onData: () => void,
): Promise<WireResponse> {
  const { status } = response;
  const sessionId = response.headers.get('mcp-session-id');
  const type = response.headers.get('content-type') ?? '';
  if (!type.startsWith('text/event-stream')) {
    const text = await response.text();
    if (request.id === null && status < 400) return { status, sessionId, answer: null };
    const answer = parse(text);
    if (answer === null) throw new ConnectionLost(`HTTP ${status} without a message`, { status });
    return { status, sessionId, answer };
  }
  for await (const event of serverEvents(response, onData)) {
    if (event.id !== null) request.onEventId?.(event.id);
    const message = parse(event.data);
    if (message === null) continue;
    if (message.method === undefined && message.id === request.id) {
      return { status, sessionId, answer: message };
    }
    request.onMessage?.(message);
  }
  throw new ConnectionLost('the stream ended before the answer');
}

function parse(text: string): WireMessage | null {
  try {
    return parseMessage(text);
  } catch {
    return null;
  }
}
