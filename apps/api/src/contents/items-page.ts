import { LongshoreError, limitedSignal, type PrincipalId, type SliceLimits } from '@longshore/core';
import type { ItemCursor } from '@longshore/protocol';
import { cutEntry, entryOverheadBytes, itemEntry, jsonBytes } from './item-entry.ts';
import type { WantedItems } from './items-address.ts';
import { ItemsGone, type ItemsSlice, type TaskItems } from './task-items.ts';

const READ_TIMEOUT_MS = 30_000;

/** Reads of one page. More are made where many chunks have none of the wanted items. */
const MOST_READS = 20;

/** A page that is as full as this is sent as it is. */
const FULL = 3 / 4;

/** As many items as one answer takes. May have none where there is a next one. */
export interface ItemsPage {
  /** JSON of an ItemEntry each. */
  readonly entries: readonly string[];
  /** Nothing of the items changes any more. */
  readonly isSettled: boolean;
  /** Where to go on; null: nothing more is there, so far. */
  readonly next: ItemCursor | null;
}

/**
 * Reads a page of items of a task.
 *
 * @param from null: from the first one on
 * @param maxBytes of the entries as a JSON array
 * @returns null when the task is unknown, expired or somebody else's, or has no such batch, so far
 * @throws {LongshoreError} INVALID_CURSOR
 */
export async function itemsPage(
  items: TaskItems,
  owner: PrincipalId,
  wanted: WantedItems,
  from: ItemCursor | null,
  maxBytes: number,
): Promise<ItemsPage | null> {
  const limited = limitedSignal(new AbortController().signal, READ_TIMEOUT_MS);
  const page = new Page(maxBytes);
  const limits = (batchKey: string | null): SliceLimits => ({
    bytes: page.room,
    overheadBytes: entryOverheadBytes(batchKey),
  });
  try {
    for await (const slice of items.slices(wanted, owner, from, limits, limited.signal)) {
      if (!page.add(slice)) break;
    }
  } catch (error) {
    if (!(error instanceof ItemsGone)) throw error;
    if (from === null || (await items.find(wanted, owner)) === null) return null;
    throw new LongshoreError('INVALID_CURSOR', 'Invalid cursor: it is of another task', {
      cause: error,
    });
  } finally {
    limited.release();
  }
  return page;
}

/** Entries that fit into one answer. */
class Page implements ItemsPage {
  readonly #maxBytes: number;
  readonly entries: string[] = [];
  /** With the brackets. */
  #bytes = 2;
  #reads = 0;
  next: ItemCursor | null = null;
  isSettled = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes that are left. */
  get room(): number {
    return this.#maxBytes - this.#bytes;
  }

  /** @returns whether there is more to add, and room for it */
  add({ items, batchKey, from, next, isSettled }: ItemsSlice): boolean {
    this.#reads += 1;
    this.isSettled = isSettled;
    const texts = items.map((item) => {
      const entry = itemEntry(item, batchKey);
      const isTooLarge = jsonBytes(entry) > this.#maxBytes - 2;
      return JSON.stringify(isTooLarge ? cutEntry(entry) : entry);
    });
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
    // A slice has one item at least, which may be for a page of its own.
    if (bytes > this.room && this.entries.length > 0) {
      this.next = from;
      return false;
    }
    this.entries.push(...texts);
    this.#bytes += bytes;
    this.next = next;
    return next !== null && this.#bytes < FULL * this.#maxBytes && this.#reads < MOST_READS;
  }
}
