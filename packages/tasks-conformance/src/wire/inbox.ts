import type { JsonRpcMessage } from './json-rpc.ts';
import { inTime } from './waiting.ts';

/** One message of the server, and where it came. */
export interface Received {
  /** Number of the stream within its session; a resumed stream keeps its number. */
  readonly stream: number;
  readonly kind: 'get' | 'post';
  readonly message: JsonRpcMessage;
  /** Id of the event that carried it; null without one. */
  readonly eventId: string | null;
}

/** Everything a session got, in the order it came. */
export class Inbox {
  readonly received: Received[] = [];
  readonly #watchers = new Set<() => void>();
  readonly #onMessage: (message: JsonRpcMessage) => void;

  /** @param onMessage called with each message, before whoever waits for it */
  constructor(onMessage: (message: JsonRpcMessage) => void) {
    this.#onMessage = onMessage;
  }

  add(received: Received): void {
    this.received.push(received);
    this.#onMessage(received.message);
    for (const watcher of [...this.#watchers]) watcher();
  }

  /** The first message that `matches`, which may be here already. */
  async first(
    matches: (received: Received) => boolean,
    wait: Parameters<typeof inTime>[1],
  ): Promise<Received> {
    let watcher = (): void => {};
    const found = new Promise<Received>((resolve) => {
      watcher = () => {
        const match = this.received.find(matches);
        if (match !== undefined) resolve(match);
      };
    });
    this.#watchers.add(watcher);
    watcher();
    try {
      return await inTime(found, wait);
    } finally {
      this.#watchers.delete(watcher);
    }
  }
}
