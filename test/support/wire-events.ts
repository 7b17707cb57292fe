import * as z from 'zod';

const Message = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).optional(),
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

/** One server-sent event as it came; null is what it did not have. */
export interface WireEvent {
  readonly id: string | null;
  readonly retry: number | null;
  /** Null also for empty data. */
  readonly message: WireMessage | null;
}

/** Reads a response's event stream; comments are left out. */
export async function* wireEvents(response: Response): AsyncGenerator<WireEvent> {
  if (response.body === null) return;
  let buffered = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    buffered += chunk;
    for (let end = buffered.indexOf('\n\n'); end >= 0; end = buffered.indexOf('\n\n')) {
      const event = readEvent(buffered.slice(0, end));
      buffered = buffered.slice(end + 2);
      if (event !== null) yield event;
    }
  }
}

function readEvent(block: string): WireEvent | null {
  const fields = block.split('\n').filter((line) => !line.startsWith(':'));
  const values = (name: string): string[] =>
    fields
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).trimStart());
  if (fields.length === 0) return null;
  const data = values('data').join('\n');
  const retry = values('retry').at(-1);
  return {
    id: values('id').at(-1) ?? null,
    retry: retry === undefined ? null : Number(retry),
    message: data === '' ? null : parseMessage(data),
  };
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
