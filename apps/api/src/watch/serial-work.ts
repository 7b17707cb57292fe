import type { Logger } from '@longshore/core';

/** Pieces of work waiting; what can be left out is left out beyond it. */
const MAX_BACKLOG = 1_000;

/** Does one piece of work after the other, so that what one stream sends keeps its order. */
export class SerialWork {
  readonly #log: Logger;
  #tail: Promise<void> = Promise.resolve();
  #backlog = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Whether so much waits that hints which others will follow should be dropped. */
  get isCrowded(): boolean {
    return this.#backlog >= MAX_BACKLOG;
  }

  /** What a piece throws is logged, and the next one goes on. */
  add(piece: () => Promise<void> | void): void {
    this.#backlog += 1;
    this.#tail = this.#tail
      .then(piece)
      .catch((error: unknown) => {
        this.#log.warn({ err: error }, 'messages to a client could not be sent');
      })
      .finally(() => {
        this.#backlog -= 1;
      });
  }

  /** Resolves when everything added so far is done. */
  async done(): Promise<void> {
    await this.#tail;
  }
}
