import type { Service } from '@longshore/core';

/** A stream that wants a sign of life when it was silent for an interval. */
export interface KeptAlive {
  /** Writes a comment unless something was written since the last call. */
  beat(): void;
}

/** One timer for all open streams of the process. */
export class KeepAlive implements Service {
  readonly #intervalMs: number;
  readonly #streams = new Set<KeptAlive>();
  #timer: NodeJS.Timeout | null = null;

  /** @param intervalMs longest silence of a stream is twice this */
  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  start(): Promise<void> {
    this.#timer ??= setInterval(() => {
      for (const stream of this.#streams) stream.beat();
    }, this.#intervalMs).unref();
    return Promise.resolve();
  }

  stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    return Promise.resolve();
  }

  /** Streams that are open. */
  get open(): number {
    return this.#streams.size;
  }

  add(stream: KeptAlive): void {
    this.#streams.add(stream);
  }

  delete(stream: KeptAlive): void {
    this.#streams.delete(stream);
  }
}
