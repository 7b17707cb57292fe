import type * as z from 'zod';
import type { Checkpoint } from './tool-context.ts';
import type { Json } from './values/json.ts';

/** Entries are saved together until they are so long, as JSON in UTF-16 units. */
const GROUP_LENGTH = 262_144;

const EVERY_MS = 1_000;

export interface JournalOptions {
  /**
   * Entries that come sooner after the last save than this are saved with a later one; 1000 unless said
   * otherwise. 0 saves each entry as it comes, for work that must not be done twice.
   */
  readonly everyMs?: number;
}

/**
 * What a tool has finished, as a list that outlives crashes and retries: an attempt adds an entry per
 * finished piece, and the next attempt reads them and does the rest. Entries are kept as checkpoints, in
 * groups, so that a thousand pieces of a millisecond do not become a thousand statements; a crash costs
 * the entries of the last `everyMs`. They stay in the database, not in memory.
 */
export class Journal<Entry extends Json> {
  readonly #checkpoint: Checkpoint;
  readonly #name: string;
  readonly #schema: z.ZodType<Entry[]>;
  readonly #everyMs: number;
  #groups = 0;
  #unsaved: Entry[] = [];
  #unsavedLength = 0;
  #savedAtMs = Number.NEGATIVE_INFINITY;
  #saving: Promise<void> = Promise.resolve();

  private constructor(
    checkpoint: Checkpoint,
    name: string,
    schema: z.ZodType<Entry>,
    options: JournalOptions,
  ) {
    this.#checkpoint = checkpoint;
    this.#name = name;
    this.#schema = schema.array();
    this.#everyMs = options.everyMs ?? EVERY_MS;
  }

  /**
   * Opens the journal as earlier attempts left it.
   *
   * @param name of its checkpoints, up to 200 characters; one journal of a name per task
   * @param schema of an entry, which is JSON
   * @param onEntry gets each entry that is there, in order
   */
  static async open<Entry extends Json>(
    checkpoint: Checkpoint,
    name: string,
    schema: z.ZodType<Entry>,
    onEntry: (entry: Entry) => void,
    options: JournalOptions = {},
  ): Promise<Journal<Entry>> {
    const journal = new Journal<Entry>(checkpoint, name, schema, options);
    for (;;) {
      const saved = await checkpoint.get(journal.#key(journal.#groups));
      if (saved === null) return journal;
      for (const entry of journal.#schema.parse(saved)) onEntry(entry);
      journal.#groups += 1;
    }
  }

  /** Adds an entry, and saves when it is time. Rejects when another attempt has taken over: then stop. */
  async add(entry: Entry): Promise<void> {
    this.#unsaved.push(entry);
    this.#unsavedLength += JSON.stringify(entry).length;
    const isDue =
      this.#unsavedLength >= GROUP_LENGTH || performance.now() - this.#savedAtMs >= this.#everyMs;
    if (isDue) await this.save();
  }

  /** Saves what is not saved yet. Call it before the last word. Rejects as `add` does. */
  save(): Promise<void> {
    // One after the other: a gap would hide the groups behind it from the next attempt.
    this.#saving = this.#saving.then(() => this.#saveGroup());
    return this.#saving;
  }

  /** All entries, in the order they were added, a group at a time. Saves first. */
  async *entries(): AsyncGenerator<Entry, void, undefined> {
    await this.save();
    for (let group = 0; group < this.#groups; group += 1) {
      yield* this.#schema.parse(await this.#checkpoint.get(this.#key(group)));
    }
  }

  async #saveGroup(): Promise<void> {
    const group = this.#unsaved;
    if (group.length === 0) return;
    this.#unsaved = [];
    this.#unsavedLength = 0;
    this.#savedAtMs = performance.now();
    await this.#checkpoint.set(this.#key(this.#groups), group);
    this.#groups += 1;
  }

  #key(group: number): string {
    return `${this.#name}/${group}`;
  }
}
