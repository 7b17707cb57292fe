/**
 * Sends the latest of many values, one per `intervalMs` at most. Unlike LatestThrottle it looks at the clock
 * with each value: in a thread that computes without awaiting no timer fires.
 */
export class LatestSender<T> {
  readonly #intervalMs: number;
  readonly #send: (value: T) => void;
  #pending: { readonly value: T } | null = null;
  #timer: NodeJS.Timeout | null = null;
  #nextAt = 0;

  constructor(intervalMs: number, send: (value: T) => void) {
    this.#intervalMs = intervalMs;
    this.#send = send;
  }

  push(value: T): void {
    this.#pending = { value };
    const leftMs = this.#nextAt - performance.now();
    if (leftMs <= 0) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), leftMs);
  }

  /** Sends what waits, at once. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const pending = this.#pending;
    if (pending === null) return;
    this.#pending = null;
    this.#nextAt = performance.now() + this.#intervalMs;
    this.#send(pending.value);
  }
}
