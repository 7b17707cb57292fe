import { setTimeout as delay } from 'node:timers/promises';
import { parseEvents } from './event-parser.ts';
import { type JsonRpcMessage, parseMessage } from './json-rpc.ts';

/** Pause before reconnecting where the server does not say. */
const DEFAULT_RETRY_MS = 500;

export interface StreamReading {
  readonly signal: AbortSignal;
  readonly onMessage: (message: JsonRpcMessage, eventId: string | null) => void;
  /** Called with the id of each event that has one, also of those without a message. */
  readonly onEventId?: (id: string) => void;
  /** Whether the stream may end now. */
  readonly isComplete: () => boolean;
  /** Asks for the rest of a stream whose connection is over; null where there is none. */
  readonly resume: (lastEventId: string | null) => Promise<Response | null>;
}

export const isEventStream = (response: Response): boolean =>
  response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;

/**
 * Reads a stream to its end, over as many connections as the server splits it into.
 * @throws {WireError} when an event is not a JSON-RPC message
 */
export async function readStream(first: Response, reading: StreamReading): Promise<void> {
  let lastEventId: string | null = null;
  let retryMs = DEFAULT_RETRY_MS;
  let response: Response | null = first;
  while (response !== null) {
    for await (const event of eventsOf(response, reading.signal)) {
      if (event.id !== null) {
        lastEventId = event.id;
        reading.onEventId?.(event.id);
      }
      retryMs = event.retryMs ?? retryMs;
      if (event.data !== '') reading.onMessage(parseMessage(event.data), event.id);
    }
    if (reading.isComplete() || reading.signal.aborted) return;
    await delay(retryMs, undefined, { signal: reading.signal }).catch(() => {});
    response = reading.signal.aborted ? null : await reading.resume(lastEventId);
  }
}

/** A connection that breaks is one that ends: either may be resumed. */
async function* eventsOf(response: Response, signal: AbortSignal) {
  if (response.body === null) return;
  const events = parseEvents(response.body);
  try {
    for (;;) {
      const next = await events.next().catch(() => null);
      if (next === null || next.done === true || signal.aborted) return;
      yield next.value;
    }
  } finally {
    await response.body.cancel().catch(() => {});
  }
}
