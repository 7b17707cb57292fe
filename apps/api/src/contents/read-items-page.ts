import {
  type JsonObject,
  LongshoreError,
  limitedSignal,
  type PrincipalId,
  type SliceLimits,
} from '@longshore/core';
import { type ItemCursor, PAGE_META } from '@longshore/protocol';
import { cutEntry, entryOverheadBytes, itemEntry, jsonBytes } from './item-entry.ts';
import { itemsPageUri, parseItemsUri } from './items-address.ts';
import { ItemsGone, type ItemsSlice, type TaskItems } from './task-items.ts';
import { contentNotFound } from './task-uri.ts';

const READ_TIMEOUT_MS = 30_000;

/** Reads of one page. More are made where many chunks have none of the wanted items. */
const MOST_READS = 20;

/** A page that is as full as this is sent as it is. */
const FULL = 3 / 4;

/**
 * resources/read of the items of a task: a JSON array of as many as one answer takes. `_meta` of the content says
 * how many these are, whether they are as they will stay, and where the next ones are.
 *
 * @param maxBytes of the array
 * @throws {LongshoreError} RESOURCE_NOT_FOUND · INVALID_PARAMS · INVALID_CURSOR
 */
export async function readItemsPage(
  items: TaskItems,
  owner: PrincipalId,
  uri: string,
  maxBytes: number,
): Promise<JsonObject> {
  const parsed = parseItemsUri(uri);
  if (parsed === null) throw contentNotFound(uri);
  const { wanted, from } = parsed;
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
    if (from === null || (await items.find(wanted, owner)) === null) throw contentNotFound(uri);
    throw new LongshoreError('INVALID_CURSOR', 'Invalid cursor: it is of another task', {
      cause: error,
    });
  } finally {
    limited.release();
  }
  const { text, count, isSettled, next } = page;
  const meta: JsonObject = { count, complete: isSettled };
  if (next !== null) meta['next'] = itemsPageUri(wanted, next);
  return {
    contents: [{ uri, mimeType: 'application/json', text, _meta: { [PAGE_META]: meta } }],
  };
}

/** Entries that fit into one answer. */
class Page {
  readonly #maxBytes: number;
  readonly #entries: string[] = [];
  /** With the brackets. */
  #bytes = 2;
  #reads = 0;
  /** Where to go on; null: nothing more is there, so far. */
  next: ItemCursor | null = null;
  isSettled = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes that are left. */
  get room(): number {
    return this.#maxBytes - this.#bytes;
  }

  get count(): number {
    return this.#entries.length;
  }

  get text(): string {
    return `[${this.#entries.join(',')}]`;
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
    if (bytes > this.room && this.count > 0) {
      this.next = from;
      return false;
    }
    this.#entries.push(...texts);
    this.#bytes += bytes;
    this.next = next;
    return next !== null && this.#bytes < FULL * this.#maxBytes && this.#reads < MOST_READS;
  }
}
