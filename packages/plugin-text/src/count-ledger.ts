import { type Checkpoint, type Json, z } from '@longshore/plugin';
import type { TextCounts } from './count-text.ts';
import { WordTally } from './word-tally.ts';

/** Saved at least this often: a crash costs at most this much work. */
const SAVE_BYTES = 1_048_576;
const SAVE_MS = 1_000;
/** Distinct words in one saved page, which bounds it to about 2 MB. */
const PAGE_WORDS = 100_000;
/** Distinct words in all, about 50 MB of memory. */
const TOTAL_WORDS = 500_000;

export interface CountedFile extends TextCounts {
  readonly path: string;
}

export interface SkippedFile {
  readonly path: string;
  readonly reason: string;
}

const Page = z.object({
  counted: z.array(
    z.object({
      path: z.string(),
      lines: z.int(),
      words: z.int(),
      characters: z.int(),
      bytes: z.int(),
    }),
  ),
  skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
  words: z.array(z.tuple([z.string(), z.int()])),
  exact: z.boolean(),
});

/**
 * What has been counted so far, saved page by page as checkpoints, so that a later attempt goes on with
 * the first file that is on no page. A page holds the files since the page before it.
 */
export class CountLedger {
  /** Null: nothing is saved. */
  readonly #checkpoint: Checkpoint | null;
  readonly #tally = new WordTally(TOTAL_WORDS);
  readonly #counted: CountedFile[] = [];
  readonly #skipped: SkippedFile[] = [];
  #pages = 0;
  #page = newPage();

  private constructor(checkpoint: Checkpoint | null) {
    this.#checkpoint = checkpoint;
  }

  /**
   * One that saves nothing, for a single file: a later attempt could only begin it again, and in a batch of
   * small files saving would be most of the work.
   */
  static unsaved(): CountLedger {
    return new CountLedger(null);
  }

  /** Reads what earlier attempts saved. */
  static async open(checkpoint: Checkpoint): Promise<CountLedger> {
    const ledger = new CountLedger(checkpoint);
    for (;;) {
      const saved = await checkpoint.get(key(ledger.#pages));
      if (saved === null) return ledger;
      const page = Page.parse(saved);
      ledger.#counted.push(...page.counted);
      ledger.#skipped.push(...page.skipped);
      ledger.#tally.addAll({ counts: page.words, exact: page.exact });
      ledger.#pages += 1;
    }
  }

  /** Files that need not be looked at again. */
  done(): ReadonlySet<string> {
    return new Set([...this.#counted, ...this.#skipped].map(({ path }) => path));
  }

  get counted(): readonly CountedFile[] {
    return this.#counted;
  }

  get skipped(): readonly SkippedFile[] {
    return this.#skipped;
  }

  /** All words of all files; complete after `save`. */
  get tally(): WordTally {
    return this.#tally;
  }

  /** A tally for one file, which counts once the file is added. */
  newTally(): WordTally {
    return new WordTally(PAGE_WORDS);
  }

  async addCounted(file: CountedFile, words: WordTally): Promise<void> {
    this.#counted.push(file);
    this.#page.counted.push(file);
    this.#page.words.addAll({ counts: words.entries(), exact: words.exact });
    this.#page.bytes += file.bytes;
    await this.#saveWhenDue();
  }

  async addSkipped(file: SkippedFile): Promise<void> {
    this.#skipped.push(file);
    this.#page.skipped.push(file);
    await this.#saveWhenDue();
  }

  /** Saves what is not saved yet. Rejects when another attempt has taken over. */
  async save(): Promise<void> {
    const page = this.#page;
    if (page.counted.length + page.skipped.length === 0) return;
    const words = [...page.words.entries()].map(([word, times]) => [word, times]);
    const value: Json = {
      counted: page.counted.map((file) => ({ ...file })),
      skipped: page.skipped.map((file) => ({ ...file })),
      words,
      exact: page.words.exact,
    };
    await this.#checkpoint?.set(key(this.#pages), value);
    this.#tally.addAll({ counts: page.words.entries(), exact: page.words.exact });
    this.#pages += 1;
    this.#page = newPage();
  }

  async #saveWhenDue(): Promise<void> {
    const { bytes, openedAtMs } = this.#page;
    if (bytes >= SAVE_BYTES || performance.now() - openedAtMs >= SAVE_MS) await this.save();
  }
}

function newPage() {
  return {
    counted: [] as CountedFile[],
    skipped: [] as SkippedFile[],
    words: new WordTally(PAGE_WORDS),
    bytes: 0,
    openedAtMs: performance.now(),
  };
}

function key(page: number): string {
  return `text_count/${page}`;
}
