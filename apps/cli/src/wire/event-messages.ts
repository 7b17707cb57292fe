import { EventSourceParserStream } from 'eventsource-parser/stream';

/** What an event stream carries: messages, and where to go on after each. */
export interface StreamedMessage {
  /** Null: an event that only carries the id. */
  readonly message: unknown;
  /** For Last-Event-ID; null: the event has none. */
  readonly id: string | null;
}

/** More than any event of the engine has; about what one text of JavaScript can hold. */
const MAX_EVENT_CHARS = 500_000_000;

/**
 * Reads an answer as an event stream. Ends when the stream does, however that is: whether something is missing
 * shows by what has come.
 */
export async function* readMessages(response: Response): AsyncGenerator<StreamedMessage> {
  if (response.body === null) return;
  const events = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: MAX_EVENT_CHARS }));
  const reader = events.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const message: unknown = value.data === '' ? null : JSON.parse(value.data);
      yield { message, id: value.id ?? null };
    }
  } catch {
    // The connection broke.
  } finally {
    await reader.cancel().catch(() => {});
  }
}
