import { createParser } from 'eventsource-parser';

/** One event of a server-sent event stream. */
export interface ServerSentEvent {
  /** Null when the event carries none of its own. */
  readonly id: string | null;
  readonly data: string;
  /** Milliseconds to wait before reconnecting, when the event says so. */
  readonly retryMs: number | null;
}

/** Reads a body as server-sent events. A `retry` without data comes with the next event, or as the last. */
export async function* parseEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerSentEvent> {
  const events: ServerSentEvent[] = [];
  let retryMs: number | null = null;
  const parser = createParser({
    onRetry: (ms) => {
      retryMs = ms;
    },
    onEvent: ({ id = null, data }) => {
      events.push({ id, data, retryMs });
      retryMs = null;
    },
  });
  const decoder = new TextDecoder();
  let broken: { readonly by: unknown } | null = null;
  try {
    for await (const bytes of body) {
      parser.feed(decoder.decode(bytes, { stream: true }));
      yield* events.splice(0);
    }
  } catch (by) {
    broken = { by };
  }
  if (retryMs !== null) yield { id: null, data: '', retryMs };
  if (broken !== null) throw broken.by;
}
