import { type Logger, PeriodicService, type StatsStore } from '@longshore/core';

export interface StatsKeeperOptions {
  readonly store: StatsStore;
  readonly log: Logger;
  /** Milliseconds between two looks; 5 s by default. */
  readonly intervalMs?: number;
}

/** Old figures are looked for once in so many runs: about once an hour. */
const RUNS_PER_CLEANING = 720;

/**
 * Keeps the figures of operators: counts what ended and looks at the queues, one process at a time, behind everything that
 * serves a client. What it does not come to now, it comes to later.
 */
export class StatsKeeper extends PeriodicService {
  readonly #store: StatsStore;
  readonly #intervalMs: number;
  #runs = 0;

  constructor(options: StatsKeeperOptions) {
    const { intervalMs = 5_000, log } = options;
    super({ name: 'stats keeper', intervalMs, maxBackoffMs: 60_000, log });
    this.#store = options.store;
    this.#intervalMs = intervalMs;
  }

  /** @returns how many ended tasks were counted */
  async runOnce(signal?: AbortSignal): Promise<number> {
    this.#runs += 1;
    await this.#store.sampleQueues(this.#intervalMs / 2);
    let counted = 0;
    for (;;) {
      const step = await this.#store.foldEnded();
      counted += step ?? 0;
      if (step === null || step === 0 || signal?.aborted === true) break;
    }
    if (this.#runs % RUNS_PER_CLEANING === 1) await this.#store.deleteOldStats();
    return counted;
  }
}
