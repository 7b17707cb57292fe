/** One event of a server-sent event stream. */
export interface ServerSentEvent {
  /** Null when the event carries none of its own. */
  readonly id: string | null;
  readonly data: string;
  /** Milliseconds to wait before reconnecting, when the event says so. */
  readonly retryMs: number | null;
}

/**
 * Reads a body as server-sent events.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export async function* parseEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerSentEvent> {
  const parser = new EventParser();
  const decoder = new TextDecoder();
  for await (const bytes of body) yield* parser.push(decoder.decode(bytes, { stream: true }));
}

class EventParser {
  #rest = '';
  #id: string | null = null;
  #data: string[] = [];
  #retryMs: number | null = null;

  *push(text: string): Generator<ServerSentEvent> {
    this.#rest += text;
    const lines = this.#rest.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') yield* this.#dispatch();
      else this.#field(line);
    }
  }

  #field(line: string): void {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') this.#data.push(value);
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.#retryMs = Number(value);
  }

  *#dispatch(): Generator<ServerSentEvent> {
    if (this.#id !== null || this.#retryMs !== null || this.#data.length > 0) {
      yield { id: this.#id, data: this.#data.join('\n'), retryMs: this.#retryMs };
    }
    this.#id = null;
    this.#data = [];
    this.#retryMs = null;
  }
}
