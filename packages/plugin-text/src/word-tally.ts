/** Letters, marks and digits, also joined by an apostrophe or a hyphen: `don't`, `Île-de-France`. */
const WORD = /[\p{L}\p{N}\p{M}]+(?:['’\-\u2010][\p{L}\p{N}\p{M}]+)*/gu;
/** What a word at the end of one part may go on with in the next part. */
const UNFINISHED = /[\p{L}\p{N}\p{M}]+(?:['’\-\u2010][\p{L}\p{N}\p{M}]*)*$/u;

/** Longer runs of letters (base64, minified code) are cut here, so that one can not fill the memory. */
const LONGEST_WORD = 256;

/** What a cut can leave at its end: the first half of a surrogate pair. */
const HALF_PAIR = /[\uD800-\uDBFF]$/;

/** How often each word occurs, case ignored, in bounded memory. */
export class WordTally {
  readonly #maxDistinct: number;
  #counts = new Map<string, number>();
  #exact = true;

  /** @param maxDistinct words kept; beyond it the rarest half is forgotten and counts become a lower bound */
  constructor(maxDistinct: number) {
    this.#maxDistinct = maxDistinct;
  }

  /** False once words were forgotten. */
  get exact(): boolean {
    return this.#exact;
  }

  get distinct(): number {
    return this.#counts.size;
  }

  add(word: string, times = 1): void {
    this.#counts.set(word, (this.#counts.get(word) ?? 0) + times);
    if (this.#counts.size > this.#maxDistinct) this.#forgetRarest();
  }

  addAll(tally: {
    readonly counts: Iterable<readonly [string, number]>;
    readonly exact: boolean;
  }): void {
    for (const [word, times] of tally.counts) this.add(word, times);
    if (!tally.exact) this.#exact = false;
  }

  entries(): Iterable<readonly [string, number]> {
    return this.#counts;
  }

  /** The most frequent words, ties in alphabetical order. */
  top(count: number): { word: string; count: number }[] {
    return this.#sorted()
      .slice(0, count)
      .map(([word, times]) => ({ word, count: times }));
  }

  #sorted(): [string, number][] {
    return [...this.#counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  }

  #forgetRarest(): void {
    this.#counts = new Map(this.#sorted().slice(0, Math.ceil(this.#maxDistinct / 2)));
    this.#exact = false;
  }
}

/** Finds words in text that comes in parts; a word that spans two parts is one word. */
export class WordSplitter {
  readonly #onWord: (word: string) => void;
  #rest = '';

  /** @param onWord gets each word in lower case, composed (NFC) */
  constructor(onWord: (word: string) => void) {
    this.#onWord = onWord;
  }

  push(part: string): void {
    const text = this.#rest + part;
    // The tail is bounded, so looking for an unfinished word takes constant time.
    const tail = text.slice(-LONGEST_WORD);
    const unfinished = UNFINISHED.exec(tail)?.[0] ?? '';
    const held = unfinished.length < LONGEST_WORD ? unfinished : '';
    this.#rest = held;
    this.#emit(text.slice(0, text.length - held.length));
  }

  end(): void {
    this.#emit(this.#rest);
    this.#rest = '';
  }

  #emit(text: string): void {
    // The whole part at once: fewer, longer strings are cheaper to normalise than one for each word.
    for (const [word] of text.normalize('NFC').toLowerCase().matchAll(WORD)) {
      this.#onWord(
        word.length <= LONGEST_WORD ? word : word.slice(0, LONGEST_WORD).replace(HALF_PAIR, ''),
      );
    }
  }
}
