/** Workers that start together announce themselves within this time: clients hear of it once. */
const BURST_MS = 250;

/**
 * Tells listeners which of several things differ from what they were last told, at most once in a quarter
 * of a second. A change that is taken back within that time is none.
 */
export class ChangeBursts<Name extends string> {
  readonly #read: () => Readonly<Record<Name, string>>;
  readonly #listeners = new Set<(name: Name) => void>();
  #told: Readonly<Record<Name, string>>;
  #timer: NodeJS.Timeout | null = null;

  /** @param read the things by name, in a form that differs when they do */
  constructor(read: () => Readonly<Record<Name, string>>) {
    this.#read = read;
    this.#told = read();
  }

  /** @returns how to take it back */
  listen(listener: (name: Name) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** To be called when something may have changed. */
  check(): void {
    if (this.#timer !== null || this.#changed().length === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      const changed = this.#changed();
      this.#told = this.#read();
      for (const name of changed) {
        for (const listener of [...this.#listeners]) listener(name);
      }
    }, BURST_MS).unref();
  }

  /** Takes what is there as known. */
  reset(): void {
    this.#told = this.#read();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #changed(): Name[] {
    const now = this.#read();
    return (Object.keys(now) as Name[]).filter((name) => now[name] !== this.#told[name]);
  }
}
