import { createParser } from 'eventsource-parser';
import * as z from 'zod';

const Message = z.looseObject({
  jsonrpc: z.literal('2.0'),
  /** Null: of an answer to what could not be read. */
  id: z.union([z.string(), z.number()]).nullish(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z
    .object({ code: z.number(), message: z.string(), data: z.unknown().optional() })
    .optional(),
});
export type WireMessage = z.infer<typeof Message>;

export function parseMessage(text: string): WireMessage {
  return Message.parse(JSON.parse(text));
}

/** One server-sent event of any kind; null is what it did not have. */
export interface ServerEvent {
  readonly id: string | null;
  /** Its type; null: it names none. */
  readonly event: string | null;
  readonly retry: number | null;
  readonly data: string;
}

/**
 * Reads a response's event stream; comments are left out. A `retry` without data comes with the next event, or as the last.
 *
 * @param onData called with each piece that comes, a comment or half an event too
 */
export async function* serverEvents(
  response: Response,
  onData: () => void = () => {},
): AsyncGenerator<ServerEvent> {
  if (response.body === null) return;
  const events: ServerEvent[] = [];
  let retry: number | null = null;
  const parser = createParser({
    onRetry: (ms) => {
      retry = ms;
    },
    onEvent: ({ id = null, event = null, data }) => {
      events.push({ id, event, retry, data });
      retry = null;
    },
  });
  let broken: { readonly by: unknown } | null = null;
  try {
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      onData();
      parser.feed(chunk);
      yield* events.splice(0);
    }
  } catch (by) {
    broken = { by };
  }
  if (retry !== null) yield { id: null, event: null, retry, data: '' };
  if (broken !== null) throw broken.by;
}

/** An event whose data is a message, as it came; null is what it did not have. */
export interface WireEvent {
  readonly id: string | null;
  readonly retry: number | null;
  /** Null also for empty data. */
  readonly message: WireMessage | null;
}

/** Reads a response's event stream as messages. */
export async function* wireEvents(response: Response): AsyncGenerator<WireEvent> {
  for await (const { id, retry, data } of serverEvents(response)) {
    yield { id, retry, message: data === '' ? null : parseMessage(data) };
  }
}

/** An open event stream; `events` and `messages` grow as they come. */
export class WireStream {
  readonly events: WireEvent[] = [];
  readonly messages: WireMessage[] = [];
  readonly #abort: AbortController;
  /** Resolves when the stream is over, whoever ended it, and however. */
  readonly ended: Promise<void>;

  constructor(response: Response, abort: AbortController) {
    this.#abort = abort;
    this.ended = this.#read(response);
  }

  /** What a client sends to come back; null before the first event. */
  get lastEventId(): string | null {
    return this.events.findLast((event) => event.id !== null)?.id ?? null;
  }

  /** The messages of one method, in the order they came. */
  of(method: string): WireMessage[] {
    return this.messages.filter((message) => message.method === method);
  }

  /** Requests of the server, in the order they came. */
  get questions(): WireMessage[] {
    return this.messages.filter(({ id, method }) => id !== undefined && method !== undefined);
  }

  /** The answer to the request, once it is there. */
  get answer(): WireMessage | undefined {
    return this.messages.find(({ id, method }) => id !== undefined && method === undefined);
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(response: Response): Promise<void> {
    try {
      for await (const event of wireEvents(response)) {
        this.events.push(event);
        if (event.message !== null) this.messages.push(event.message);
      }
    } catch {
      // The connection broke, or this test closed it.
    }
  }
}
