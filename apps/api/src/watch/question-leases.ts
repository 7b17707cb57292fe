import type { HeldQuestions, InputStore, Logger, QuestionLease } from '@longshore/core';

/** A stream that says nothing for this long has lost its questions to others. */
export const LEASE_MS = 25_000;
const RENEW_MS = 10_000;

/** A stream that asks a task's questions, or would. */
export interface Asker extends QuestionLease {
  /** Called with each renewal. */
  readonly renewed: (held: HeldQuestions) => void;
}

/** The leases of all questions that streams of this process have, renewed by one timer and one statement. */
export class QuestionLeases {
  readonly #store: Pick<InputStore, 'renewLeases'>;
  readonly #log: Logger;
  readonly #askers = new Set<Asker>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: { store: Pick<InputStore, 'renewLeases'>; log: Logger }) {
    this.#store = options.store;
    this.#log = options.log;
  }

  get size(): number {
    return this.#askers.size;
  }

  add(asker: Asker): void {
    this.#askers.add(asker);
    this.#timer ??= setInterval(() => void this.#renew(), RENEW_MS).unref();
  }

  delete(asker: Asker): void {
    this.#askers.delete(asker);
    if (this.#askers.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Never rejects: there is another renewal before the leases run out. */
  async #renew(): Promise<void> {
    const askers = [...this.#askers];
    try {
      const held = await this.#store.renewLeases(askers, LEASE_MS);
      askers.forEach((asker, index) => {
        const found = held[index];
        if (found !== undefined && this.#askers.has(asker)) asker.renewed(found);
      });
    } catch (error) {
      this.#log.warn({ err: error, askers: askers.length }, 'leases of questions were not renewed');
    }
  }
}
