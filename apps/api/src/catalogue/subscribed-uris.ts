import type { Session } from '@longshore/core';
import type { SessionRegistry } from '../sessions/session-registry.ts';

/** Read again when older, should the message that they changed be lost. */
const TRUST_MS = 30_000;

/**
 * The resource subscriptions of one session while a stream of it is open. They may change on any replica:
 * the message that they did makes the next question read them.
 */
export class SubscribedUris {
  readonly #session: Session;
  readonly #sessions: SessionRegistry;
  readonly #forget: () => void;
  /** The last that could be read. */
  #known: ReadonlySet<string> = new Set();
  /** What a question is answered from; null: the next one reads. */
  #current: Promise<ReadonlySet<string>> | null = null;
  #readAtMs = 0;
  #closed = false;

  constructor(session: Session, sessions: SessionRegistry) {
    this.#session = session;
    this.#sessions = sessions;
    this.#forget = sessions.onChange(session.id, () => {
      this.#current = null;
    });
  }

  /** Whether the session wants to hear of changes of `uri`. False once closed. */
  async has(uri: string): Promise<boolean> {
    return (await this.all()).has(uri);
  }

  /** None once closed. */
  async all(): Promise<ReadonlySet<string>> {
    if (this.#current === null || Date.now() - this.#readAtMs > TRUST_MS) {
      this.#readAtMs = Date.now();
      this.#current = this.#read();
    }
    const uris = await this.#current;
    return this.#closed ? new Set() : uris;
  }

  close(): void {
    this.#closed = true;
    this.#forget();
  }

  async #read(): Promise<ReadonlySet<string>> {
    try {
      const { resourceSubscriptions } = await this.#sessions.get(this.#session.id, null);
      this.#known = new Set(resourceSubscriptions);
    } catch {
      // An unknown session's stream is about to end; while Postgres is away the last known ones count.
      this.#current = null;
    }
    return this.#known;
  }
}
