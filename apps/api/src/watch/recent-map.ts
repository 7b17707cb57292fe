/**
 * The values that were set or asked for last, up to `max` of them. Takes memory for those it holds only: there is
 * one for each open stream, and caches that reserve room for all they may ever hold cost each stream some
 * hundred KiB.
 */
export class RecentMap<K, V> {
  readonly #max: number;
  readonly #dropped: (value: V) => void;
  /** The one longest not asked for comes first. */
  readonly #values = new Map<K, V>();

  /** @param dropped called with each value that goes, for whatever reason */
  constructor(max: number, dropped: (value: V) => void = () => {}) {
    this.#max = max;
    this.#dropped = dropped;
  }

  get(key: K): V | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  has(key: K): boolean {
    return this.#values.has(key);
  }

  set(key: K, value: V): void {
    this.delete(key);
    this.#values.set(key, value);
    if (this.#values.size <= this.#max) return;
    for (const oldest of this.#values.keys()) {
      this.delete(oldest);
      return;
    }
  }

  delete(key: K): boolean {
    const value = this.#values.get(key);
    if (value === undefined) return false;
    this.#values.delete(key);
    this.#dropped(value);
    return true;
  }

  values(): Iterable<V> {
    return this.#values.values();
  }

  clear(): void {
    for (const key of [...this.#values.keys()]) this.delete(key);
  }
}
