import type { Inbox } from './inbox.ts';
import { readStream } from './stream-reader.ts';

export interface ListeningOptions {
  /** Number of the stream within its session. */
  readonly stream: number;
  readonly inbox: Inbox;
  /** Event to resume after; null for a fresh stream. */
  readonly lastEventId: string | null;
  readonly get: (lastEventId: string | null, signal: AbortSignal) => Promise<Response | null>;
  /** Ends the stream too. */
  readonly signal: AbortSignal;
}

/** An open GET stream; its messages are in the session's inbox. */
export class Listening {
  readonly stream: number;
  readonly #abort: AbortController;

  private constructor(stream: number, abort: AbortController) {
    this.stream = stream;
    this.#abort = abort;
  }

  static async open(options: ListeningOptions): Promise<Listening | null> {
    const { stream, inbox, get } = options;
    const abort = new AbortController();
    const { signal } = abort;
    const end = (): void => abort.abort();
    options.signal.addEventListener('abort', end);
    const response = await get(options.lastEventId, signal);
    if (response === null) return null;
    const reading = readStream(response, {
      signal,
      onMessage: (message, eventId) => inbox.add({ stream, kind: 'get', message, eventId }),
      isComplete: () => false,
      resume: (lastEventId) => get(lastEventId, signal),
    });
    // A stream that breaks for good is one on which nothing comes: whoever waits for a message says so.
    void reading.catch(() => {}).finally(() => options.signal.removeEventListener('abort', end));
    return new Listening(stream, abort);
  }

  disconnect(): void {
    this.#abort.abort();
  }
}
