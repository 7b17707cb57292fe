import type { Service } from '@longshore/core';

export interface RepeatingTaskOptions {
  /** From the start of one run to the start of the next, in milliseconds. A longer run is waited for. */
  readonly intervalMs: number;
  /** Must not reject. */
  readonly run: () => Promise<void>;
}

/** Runs something again and again, one run at a time. The first run comes after one interval. */
export class RepeatingTask implements Service {
  readonly #options: RepeatingTaskOptions;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #started = false;
  #startedAt = 0;
  /** Wished for while a run was under way: earliest start of the next, by `performance.now()`. */
  #soonAt = Number.POSITIVE_INFINITY;

  constructor(options: RepeatingTaskOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    if (this.#started) return;
    this.#started = true;
    this.#startedAt = performance.now();
    this.#arm();
  }

  /** Resolves when no run is under way any more. */
  async stop(): Promise<void> {
    this.#started = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#running;
  }

  /** Brings the next run forward, but not nearer than `spacingMs` to the start of the last one. */
  soon(spacingMs: number): void {
    this.#soonAt = Math.min(this.#soonAt, this.#startedAt + spacingMs);
    if (this.#started && this.#running === null) this.#arm();
  }

  #arm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const dueAt = Math.min(this.#startedAt + this.#options.intervalMs, this.#soonAt);
    this.#timer = setTimeout(() => this.#runNow(), Math.max(0, dueAt - performance.now()));
  }

  #runNow(): void {
    this.#timer = null;
    this.#startedAt = performance.now();
    this.#soonAt = Number.POSITIVE_INFINITY;
    this.#running = this.#options.run().then(() => {
      this.#running = null;
      if (this.#started) this.#arm();
    });
  }
}
