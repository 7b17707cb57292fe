import type { Logger } from '@longshore/core';

/** Changes within this time are one, in milliseconds. */
const SPACING_MS = 100;

/**
 * Has what the plugins offer collected anew when they say that it changed: as often as they say so, but at
 * most ten times a second. What they say before `connect` is seen to then.
 */
export class OfferChanges {
  readonly #log: Logger;
  #apply: (() => Promise<void>) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;
  #isDue = false;
  #applying: Promise<void> = Promise.resolve();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @param apply collects and offers; when it fails, everything stays as it was */
  connect(apply: () => Promise<void>): void {
    this.#apply = apply;
    if (this.#isDue) this.#schedule();
  }

  /** Resolves when no change is under way; later ones are of no interest. */
  close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    return this.#applying;
  }

  /** Never throws. */
  changed(): void {
    this.#isDue = true;
    if (this.#apply !== null) this.#schedule();
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#isDue = false;
      this.#applying = this.#applying.then(() => this.#run());
    }, SPACING_MS);
  }

  async #run(): Promise<void> {
    try {
      await this.#apply?.();
    } catch (err) {
      this.#log.error({ err }, 'what the plugins offer now can not be used: it stays as it was');
    }
  }
}
