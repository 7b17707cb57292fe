import type { ChunkContent, ChunkOutcomes, ChunkProgress, JsonValue } from '@longshore/core';
import { type ItemEnd, itemError } from '@longshore/plugin/host';
import { toJsonValue } from '../json/to-json-value.ts';
import { wellFormed } from '../json/well-formed.ts';

/** What came of items. */
export interface ItemCounts {
  readonly done: number;
  readonly failed: number;
}

export interface RunChunkOptions {
  readonly chunk: ChunkContent;
  /** Items run at once. */
  readonly concurrency: number;
  /** False: what items returned is dropped, failures are kept. */
  readonly keepsValues: boolean;
  /** Of the attempt that runs the chunk. */
  readonly signal: AbortSignal;
  /** Runs an item. Throws only when the whole chunk has to stop. @param index of the item in the batch */
  readonly runItem: (item: JsonValue, index: number) => Promise<ItemEnd>;
  /** Saves what is new. @throws when the chunk is somebody else's */
  readonly save: (progress: Omit<ChunkProgress, 'batchId' | 'position'>) => Promise<void>;
  /** Called when it is saved what came of this many items. */
  readonly saved: (items: ItemCounts) => void;
  /** Looked at before each item. */
  readonly mayGoOn: (done: number, failed: number) => boolean;
  /** Called when an item is through. */
  readonly counted?: (done: number, failed: number) => void;
}

/** What a crash may cost: an item that takes longer is saved before the next one starts. */
const SAVE_EVERY_MS = 100;

/** Characters of outcomes that wait to be saved. */
const LARGEST_SAVE = 512 * 1024;

/** Characters of a value's JSON. */
const LARGEST_VALUE = 1024 * 1024;

/**
 * Runs the items of a chunk that have no outcome yet, and saves theirs: each at most 100 ms after the one
 * before, so that a crash repeats what was under way and what came in that time.
 *
 * @throws the signal's reason, after a last save; what `save` threw
 */
export async function runChunk(options: RunChunkOptions): Promise<void> {
  await new ChunkRun(options).run();
}

class ChunkRun {
  readonly #options: RunChunkOptions;
  readonly #through: ReadonlySet<number>;
  #next = 0;
  #done: number;
  #failed: number;
  #saves: number;
  #unsaved: string[] = [];
  #unsavedLength = 0;
  #told: ItemCounts;
  #savedAt = performance.now();
  #saving: Promise<void> | null = null;

  constructor(options: RunChunkOptions) {
    const { outcomes, saves } = options.chunk;
    this.#options = options;
    this.#through = new Set(outcomes.map(([offset]) => offset));
    this.#failed = outcomes.filter((outcome) => outcome.length > 3).length;
    this.#done = outcomes.length - this.#failed;
    this.#told = { done: this.#done, failed: this.#failed };
    this.#saves = saves;
  }

  async run(): Promise<void> {
    const lanes = Array.from({ length: this.#options.concurrency }, () => this.#runLane());
    const ended = await Promise.allSettled(lanes);
    const failed = ended.find((end) => end.status === 'rejected');
    if (failed === undefined) return this.#saveAll();
    // What is through need not be run again, should another attempt come.
    await this.#saveAll().catch(() => {});
    throw failed.reason;
  }

  async #runLane(): Promise<void> {
    const { chunk, signal, runItem, mayGoOn, counted } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      const offset = this.#next;
      this.#next += 1;
      if (offset >= chunk.size || !mayGoOn(this.#done, this.#failed)) return;
      if (this.#through.has(offset)) continue;
      const end = await runItem(chunk.items[offset] ?? null, itemIndex(chunk, offset));
      this.#note(offset, end);
      counted?.(this.#done, this.#failed);
      if (this.#isSaveDue()) await this.#save();
    }
  }

  #note(offset: number, end: ItemEnd): void {
    const outcome = outcomeText(offset, end, this.#options.keepsValues);
    this.#unsaved.push(outcome.text);
    this.#unsavedLength += outcome.text.length;
    if (outcome.isFailure) this.#failed += 1;
    else this.#done += 1;
  }

  #isSaveDue(): boolean {
    return (
      performance.now() - this.#savedAt >= SAVE_EVERY_MS || this.#unsavedLength >= LARGEST_SAVE
    );
  }

  /** One at a time, so that they are in order; who finds one under way waits for that. */
  async #save(): Promise<void> {
    if (this.#saving === null) {
      this.#saving = this.#saveNow().finally(() => {
        this.#saving = null;
      });
    }
    await this.#saving;
  }

  async #saveAll(): Promise<void> {
    while (this.#unsaved.length > 0 || this.#saving !== null) await this.#save();
  }

  async #saveNow(): Promise<void> {
    if (this.#unsaved.length === 0) return;
    const outcomes = `[${this.#unsaved.join(',')}]`;
    const counts = { done: this.#done, failed: this.#failed };
    this.#unsaved = [];
    this.#unsavedLength = 0;
    this.#saves += 1;
    await this.#options.save({ save: this.#saves, outcomes, ...counts });
    const { done, failed } = this.#told;
    this.#options.saved({ done: counts.done - done, failed: counts.failed - failed });
    this.#told = counts;
    this.#savedAt = performance.now();
  }
}

/** JSON text of an ItemOutcome. What an item returned that JSON can not hold is a failure. */
function outcomeText(
  offset: number,
  end: ItemEnd,
  keepsValues: boolean,
): { readonly text: string; readonly isFailure: boolean } {
  const { attempts } = end;
  if (!end.ok) return failureText(offset, attempts, end.error);
  if (!keepsValues || end.value === undefined || end.value === null) {
    return { text: `[${offset},${attempts},null]`, isFailure: false };
  }
  let value: string;
  try {
    value = JSON.stringify(toJsonValue(end.value));
  } catch (error) {
    return failureText(offset, attempts, { code: 'NOT_JSON', message: itemError(error).message });
  }
  if (value.length > LARGEST_VALUE) {
    const message = `the result has ${value.length} characters of JSON, ${LARGEST_VALUE} at most are kept`;
    return failureText(offset, attempts, { code: 'RESULT_TOO_LARGE', message });
  }
  return { text: `[${offset},${attempts},${value}]`, isFailure: false };
}

export function failureText(
  offset: number,
  attempts: number,
  { code, message }: { readonly code: string; readonly message: string },
): { readonly text: string; readonly isFailure: true } {
  const error = { code: wellFormed(code), message: wellFormed(message) };
  return { text: JSON.stringify([offset, attempts, null, error]), isFailure: true };
}

/** What an item is known by: its index in its batch, or, when it is tried again, in the one it was first in. */
export function itemIndex(
  { firstItem, sourceIndexes }: Pick<ChunkOutcomes, 'firstItem' | 'sourceIndexes'>,
  offset: number,
): number {
  return sourceIndexes[offset] ?? firstItem + offset;
}
