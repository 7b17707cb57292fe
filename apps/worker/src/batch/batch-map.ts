import type {
  BatchId,
  BatchState,
  BatchStore,
  ChunkProgress,
  ChunkState,
  Fence,
  NewChunk,
  NewChunks,
} from '@longshore/core';
import type { BatchSummary } from '@longshore/plugin';
import type { CheckedMapOptions } from '@longshore/plugin/host';
import { presentStored } from '@longshore/tracing';
import type { RunningAttempt } from '../run/running-attempt.ts';
import { retryUntilAborted, within } from '../run/store-call.ts';
import type { BatchCount } from './batch-progress.ts';
import { ChunkSizer } from './chunk-sizer.ts';
import { countOf, ItemReader, TooManyItems } from './item-reader.ts';
import type { ItemCounts } from './run-chunk.ts';
import { SignalGate } from './signal-gate.ts';

export interface BatchMapOptions {
  readonly attempt: RunningAttempt;
  /** Of the attempt, and of the end of its tool. */
  readonly signal: AbortSignal;
  readonly store: BatchStore;
  readonly id: BatchId;
  readonly key: string;
  readonly items: Iterable<unknown> | AsyncIterable<unknown>;
  readonly options: CheckedMapOptions;
  /** In the whole batch. */
  readonly maxItems: number;
  /** Called when it is saved what came of this many items. */
  readonly saved: (items: ItemCounts) => void;
  /** Called when items are through. */
  readonly counted: (count: BatchCount) => void;
}

/** A stopped tool has a second to return. */
const LAST_SAVE_MS = 500;

/**
 * What maps in place and maps in chunks have in common: items are stored in chunks as they are read, chunks
 * end in any order, and whoever reads the outcomes gets them in order.
 *
 * The database holds all of it. What is kept here is how far the batch is: the chunks that are not through,
 * and counts. A later attempt reads those and goes on; the source of the items is read again, and what is
 * stored is passed over.
 */
export abstract class BatchMap {
  protected readonly given: BatchMapOptions;
  protected readonly sizer: ChunkSizer;
  /** Chunks with items that have no outcome yet, by position. */
  protected readonly open = new Map<number, ChunkState>();
  readonly #expected: number | null;
  readonly #moved = new Set<() => void>();
  #chunks = 0;
  #items = 0;
  #sealed = false;
  #stopped = false;
  /** Of chunks that are through. */
  #done = 0;
  #failed = 0;
  #end: { readonly error: unknown } | 'good' | null = null;

  constructor(given: BatchMapOptions) {
    this.given = given;
    this.#expected = countOf(given.items);
    this.sizer = new ChunkSizer({ fixed: given.options.chunk, total: this.#expected });
  }

  /** Runs the batch to its end. @throws {TooManyItems}; what the source threw, or the signal's reason */
  async run(): Promise<BatchSummary> {
    const { items, maxItems } = this.given;
    try {
      const count = this.#expected;
      if (count !== null && count > maxItems) throw new TooManyItems(count, maxItems);
      await this.#resume();
      const reader = new ItemReader(items, maxItems);
      try {
        if (!this.#stopped) await this.work(reader);
      } finally {
        void reader.close();
      }
      this.#end = 'good';
      return this.summary();
    } catch (error) {
      this.#end = { error };
      throw error;
    } finally {
      this.#hasMoved();
    }
  }

  /** Stores and runs what is left. */
  protected abstract work(reader: ItemReader): Promise<void>;

  get id(): BatchId {
    return this.given.id;
  }

  get keepsValues(): boolean {
    return this.given.options.resultMode === 'all';
  }

  protected get isSealed(): boolean {
    return this.#sealed;
  }

  protected get isStopped(): boolean {
    return this.#stopped;
  }

  /** Items that are through, chunks that are under way included. */
  protected count(): BatchCount {
    let done = this.#done;
    let failed = this.#failed;
    for (const chunk of this.open.values()) {
      done += chunk.done;
      failed += chunk.failed;
    }
    return { done, failed, total: this.#total() };
  }

  summary(): BatchSummary {
    const { done, failed } = this.count();
    const total = this.#total() ?? this.#items;
    return { total, done, failed, skipped: total - done - failed, stopped: this.#stopped };
  }

  /**
   * Waits until a chunk may be read: it and all before it are through, or the batch has ended.
   *
   * @returns false: there is no such chunk
   * @throws what the batch failed with
   */
  async isReadable(position: number): Promise<boolean> {
    for (;;) {
      if (this.#end === 'good') return position < this.#chunks;
      if (this.#end !== null) throw this.#end.error;
      if (position < this.#through()) return true;
      await new Promise<void>((resolve) => {
        this.#moved.add(resolve);
      });
    }
  }

  /** Reads and stores the next chunk. @returns null: no item is left */
  protected async storeNext(
    reader: ItemReader,
    signal: AbortSignal,
    taskOf: (position: number) => NewChunk['task'],
    policy: NewChunks['policy'],
  ): Promise<ChunkState | null> {
    const { id } = this.given;
    const taken = await unlessAborted(signal, async () => {
      await reader.skip(this.#items);
      return reader.take(this.sizer.next(this.#items));
    });
    const position = this.#chunks;
    const size = taken.items.length;
    const firstItem = this.#items;
    const chunks =
      size === 0
        ? []
        : [
            {
              position,
              firstItem,
              size,
              items: `[${taken.items.join(',')}]`,
              sourceIndexes: taken.sourceIndexes,
              task: taskOf(position),
            },
          ];
    const stored = {
      batchId: id,
      chunks,
      storedChunks: position + chunks.length,
      storedItems: firstItem + size,
      sealed: taken.isLast,
      policy,
      traceContext: presentStored(),
    };
    await this.fenced('storing items', (fence) => this.given.store.storeChunks(fence, stored));
    this.#chunks = stored.storedChunks;
    this.#items = stored.storedItems;
    this.#sealed = stored.sealed;
    if (size === 0) return null;
    const state = {
      position,
      taskId: chunks[0]?.task?.id ?? null,
      firstItem,
      size,
      done: 0,
      failed: 0,
      isEnded: false,
      statusMessage: null,
      ranMs: null,
      bytes: 0,
    };
    this.open.set(position, state);
    return state;
  }

  /** The chunk is through, or as far as it will ever be. */
  protected close(chunk: ChunkState): void {
    this.open.delete(chunk.position);
    this.#done += chunk.done;
    this.#failed += chunk.failed;
    this.#hasMoved();
  }

  protected hasTooManyFailures(failed: number): boolean {
    const { stopAfterFailures } = this.given.options;
    return stopAfterFailures !== null && failed >= stopAfterFailures;
  }

  protected async stop(): Promise<void> {
    await this.fenced('stopping the batch', (fence) => this.given.store.stop(fence, this.given.id));
    this.#stopped = true;
  }

  protected tell(): void {
    this.given.counted(this.count());
  }

  /** Saves what came of items of a chunk, also when the attempt is being stopped. */
  protected async save(progress: ChunkProgress): Promise<void> {
    const { store, attempt, signal } = this.given;
    if (signal.aborted) {
      await within(LAST_SAVE_MS, store.save(attempt.claim, progress), 'saving what came of items');
      return;
    }
    await this.fenced('saving what came of items', (fence) => store.save(fence, progress));
  }

  /** @throws when the attempt is not the current one any more */
  protected async fenced(what: string, write: (fence: Fence) => Promise<boolean>): Promise<void> {
    const { attempt, signal } = this.given;
    if (await retryUntilAborted(what, signal, () => write(attempt.claim))) return;
    attempt.abort('lost');
    attempt.signal.throwIfAborted();
    throw new Error(`attempt ${attempt.claim.attempt} is not the current one: ${what} was refused`);
  }

  async #resume(): Promise<void> {
    const { signal, store, id, key } = this.given;
    let state: BatchState | null = null;
    await this.fenced('opening the batch', async (fence) => {
      state = await store.open(fence, id, key);
      return state !== null;
    });
    this.#adopt(state);
    if (this.#chunks === 0) return;
    const progress = await retryUntilAborted('reading the batch', signal, () => store.progress(id));
    this.#done = progress.done;
    this.#failed = progress.failed;
    for (const chunk of progress.open) {
      this.open.set(chunk.position, chunk);
      this.#done -= chunk.done;
      this.#failed -= chunk.failed;
    }
    this.tell();
  }

  #adopt(state: BatchState | null): void {
    if (state === null) return;
    this.#chunks = state.chunks;
    this.#items = state.items;
    this.#sealed = state.sealed;
    this.#stopped = state.stopped;
  }

  #total(): number | null {
    return this.#sealed ? this.#items : this.#expected;
  }

  /** Chunks at the beginning that are all through. */
  #through(): number {
    let first = this.#chunks;
    for (const position of this.open.keys()) first = Math.min(first, position);
    return first;
  }

  #hasMoved(): void {
    for (const moved of [...this.#moved]) moved();
    this.#moved.clear();
  }
}

/** @throws the signal's reason, without waiting for `work` */
async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const gate = new SignalGate();
  const working = work();
  const ended = working.then(
    () => gate.open(),
    () => gate.open(),
  );
  void ended;
  await gate.wait(signal);
  return working;
}
