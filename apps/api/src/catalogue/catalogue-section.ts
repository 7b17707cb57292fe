import type { JsonObject } from '@longshore/core';

/** One list of the catalogue, in the order of its keys, which are unique and never change for an entry. */
export class CatalogueSection<Entry extends object> {
  readonly #key: (entry: Entry) => string;
  readonly #wire: (entry: Entry) => JsonObject;
  #entries: ReadonlyMap<string, Entry> = new Map();
  #fingerprints: ReadonlyMap<string, string> = new Map();
  #visible = '';

  /**
   * @param options.key name or address, what clients and cursors know an entry by
   * @param options.wire the entry as clients see it: only what is in there counts as a change
   */
  constructor(options: { key: (entry: Entry) => string; wire: (entry: Entry) => JsonObject }) {
    this.#key = options.key;
    this.#wire = options.wire;
  }

  /** Everything clients can see, in one string. */
  get visible(): string {
    return this.#visible;
  }

  find(key: string): Entry | null {
    return this.#entries.get(key) ?? null;
  }

  /** All entries, in order. */
  all(): IterableIterator<Entry> {
    return this.#entries.values();
  }

  /** Visible entries after the key `after`, `limit` at most. `next`: the last one's key when there are more. */
  page(
    after: string | null,
    limit: number,
    isVisible: (entry: Entry) => boolean,
  ): { entries: Entry[]; next: string | null } {
    const entries: Entry[] = [];
    let last: string | null = null;
    for (const [key, entry] of this.#entries) {
      if ((after !== null && key <= after) || !isVisible(entry)) continue;
      if (entries.length === limit) return { entries, next: last };
      entries.push(entry);
      last = key;
    }
    return { entries, next: null };
  }

  /** Takes over what was loaded. Keeps the object of an unchanged entry, because caches hang on it. */
  adopt(loaded: readonly Entry[]): void {
    const keyed = loaded.map((entry): [string, Entry] => [this.#key(entry), entry]);
    keyed.sort(([a], [b]) => (a < b ? -1 : 1));
    const fingerprints = new Map(keyed.map(([key, entry]) => [key, JSON.stringify(entry)]));
    this.#entries = new Map(
      keyed.map(([key, entry]) => {
        const known = this.#entries.get(key);
        const unchanged = this.#fingerprints.get(key) === fingerprints.get(key);
        return [key, unchanged && known !== undefined ? known : entry];
      }),
    );
    this.#fingerprints = fingerprints;
    this.#visible = JSON.stringify(keyed.map(([, entry]) => this.#wire(entry)));
  }
}
