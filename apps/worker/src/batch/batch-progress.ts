/** How far one batch is. */
export interface BatchCount {
  readonly done: number;
  readonly failed: number;
  /** Null: not known yet. */
  readonly total: number | null;
}

export interface BatchProgressOptions {
  readonly progress: (done: number, total?: number, message?: string) => void;
  readonly statusMessage: (text: string) => void;
}

/** A status message is a write to the task's row. */
const STATUS_EVERY_MS = 2_000;

/** The rate is that of about the last so many milliseconds. */
const RATE_OVER_MS = 10_000;

/** Tells the client of a task how far its batches are, all of them together. */
export class BatchProgressTeller {
  readonly #options: BatchProgressOptions;
  readonly #batches = new Map<string, BatchCount>();
  readonly #samples: { readonly at: number; readonly through: number }[] = [];
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(options: BatchProgressOptions) {
    this.#options = options;
  }

  tell(batch: string, count: BatchCount): void {
    const isNew = !this.#batches.has(batch);
    this.#batches.set(batch, count);
    const { done, failed, total } = this.#sum();
    // What an earlier attempt did is no part of the rate.
    if (isNew) this.#samples.length = 0;
    const text = this.#words(done, failed, total);
    this.#options.progress(done + failed, total ?? undefined, text);
    const now = performance.now();
    // The last words stay with the task.
    const isThrough = done + failed === total;
    if (!isThrough && now - this.#toldAt < STATUS_EVERY_MS) return;
    this.#toldAt = now;
    this.#options.statusMessage(text);
  }

  #sum(): BatchCount {
    const counts = [...this.#batches.values()];
    const sum = (of: (count: BatchCount) => number): number =>
      counts.reduce((whole, count) => whole + of(count), 0);
    const isKnown = counts.every(({ total }) => total !== null);
    return {
      done: sum(({ done }) => done),
      failed: sum(({ failed }) => failed),
      total: isKnown ? sum(({ total }) => total ?? 0) : null,
    };
  }

  #words(done: number, failed: number, total: number | null): string {
    const rate = this.#rate(done + failed);
    return [
      total === null ? `${done} items done` : `${done} of ${total} items done`,
      `${failed} failed`,
      ...(rate === null ? [] : [`${rate} a second`]),
    ].join(', ');
  }

  #rate(through: number): string | null {
    const at = performance.now();
    this.#samples.push({ at, through });
    while (this.#samples.length > 2 && at - (this.#samples[1]?.at ?? at) > RATE_OVER_MS) {
      this.#samples.shift();
    }
    const first = this.#samples[0];
    if (first === undefined || at - first.at < 200) return null;
    const rate = (1000 * (through - first.through)) / (at - first.at);
    return rate >= 10 ? String(Math.round(rate)) : rate.toFixed(1);
  }
}
