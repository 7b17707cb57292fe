import * as z from 'zod';

const Message = z.looseObject({
  id: z.union([z.string(), z.number()]).nullish(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z
    .object({ code: z.number(), message: z.string(), data: z.unknown().optional() })
    .optional(),
});
export type WireMessage = z.infer<typeof Message>;

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
  for await (const event of eventsOf(response, onData)) {
    if (event.id !== null) request.onEventId?.(event.id);
    if (event.message === null) continue;
    const { id, method } = event.message;
    if (method === undefined && id === request.id) {
      return { status, sessionId, answer: event.message };
    }
    request.onMessage?.(event.message);
  }
  throw new ConnectionLost('the stream ended before the answer');
}

function parse(text: string): WireMessage | null {
  try {
    return Message.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

interface WireEvent {
  readonly id: string | null;
  readonly message: WireMessage | null;
}

async function* eventsOf(response: Response, onData: () => void): AsyncGenerator<WireEvent> {
  if (response.body === null) return;
  let buffered = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    onData();
    buffered += chunk;
    for (let end = buffered.indexOf('\n\n'); end >= 0; end = buffered.indexOf('\n\n')) {
      yield eventOf(buffered.slice(0, end));
      buffered = buffered.slice(end + 2);
    }
  }
}

function eventOf(block: string): WireEvent {
  const valuesOf = (name: string): string[] =>
    block
      .split('\n')
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).trimStart());
  const data = valuesOf('data').join('\n');
  return { id: valuesOf('id').at(-1) ?? null, message: data === '' ? null : parse(data) };
}
