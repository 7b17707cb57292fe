/**
 * Sends the latest of many values: the first at once, then at most one per `intervalMs`, the last one
 * always. Values in between are dropped. One `send` runs at a time (but for `flush`), so a slow receiver
 * slows the sending down and nothing piles up.
 */
export class LatestThrottle<T> {
  readonly #intervalMs: number;
  readonly #send: (value: T) => Promise<void>;
  #pending: { readonly value: T } | null = null;
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<void> | null = null;
  #closed = false;

  /** @param send must not reject, and must keep the order of values that are sent at once */
  constructor(intervalMs: number, send: (value: T) => Promise<void>) {
    this.#intervalMs = intervalMs;
    this.#send = send;
  }

  push(value: T): void {
    if (this.#closed) return;
    this.#pending = { value };
    if (this.#timer === null && this.#sending === null) this.#sendPending();
  }

  /** Sends what waits, without waiting for its turn. */
  flush(): void {
    const pending = this.#pending;
    this.#pending = null;
    if (pending !== null) void this.#send(pending.value);
  }

  /** Drops what waits and everything that comes later. */
  close(): void {
    this.#closed = true;
    this.#pending = null;
    this.#clearTimer();
  }

  #sendPending(): void {
    this.#clearTimer();
    const pending = this.#pending;
    if (pending === null) return;
    this.#pending = null;
    this.#sending = this.#send(pending.value).then(() => {
      this.#sending = null;
      if (!this.#closed) this.#rest();
    });
  }

  #rest(): void {
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#sendPending();
    }, this.#intervalMs);
  }

  #clearTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
