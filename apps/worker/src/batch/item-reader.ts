import { ToolError } from '@longshore/plugin';
import { NotJsonError, toJsonValue } from '../json/to-json-value.ts';

/** A batch is over MAX_BATCH_ITEMS. It fails the tool at once: another attempt has as many. */
export class TooManyItems extends ToolError {
  /** What an item fails with that maps over too many itself. */
  readonly code = 'TOO_MANY_ITEMS';

  /** @param count of the items; null: more than `max`, not known how many */
  constructor(count: number | null, max: number) {
    const many =
      count === null
        ? `more than ${max} items (MAX_BATCH_ITEMS)`
        : `${count} items, ${max} at most (MAX_BATCH_ITEMS)`;
    super(`the batch has ${many}: make several of it`);
  }
}

/** An item that is tried again, with its index in the batch it was first in. */
export class SourcedItem {
  readonly index: number;
  readonly item: unknown;

  constructor(index: number, item: unknown) {
    this.index = index;
    this.item = item;
  }
}

/** Items as JSON text, and whether there are more. */
export interface TakenItems {
  readonly items: readonly string[];
  /** Of each item in the batch it was first in; empty: this is it. */
  readonly sourceIndexes: readonly number[];
  readonly isLast: boolean;
}

/** Characters of an item's JSON. */
const LARGEST_ITEM = 1024 * 1024;

/** Characters of a chunk's items, about. */
const LARGEST_CHUNK = 512 * 1024;

/** How long the first item of a chunk waits for the others, in milliseconds. */
const PATIENCE_MS = 250;

const LATE = Symbol('late');

/**
 * Reads what a batch is made of, one item at a time, and no more than is asked for.
 *
 * A source that throws, and an item that can not be stored, fail the reading with the place. What was
 * taken before is not lost.
 */
export class ItemReader {
  readonly #iterator: Iterator<unknown> | AsyncIterator<unknown>;
  readonly #maxItems: number;
  #coming: Promise<IteratorResult<unknown>> | null = null;
  #read = 0;
  #isDone = false;

  /** @param maxItems in all */
  constructor(items: Iterable<unknown> | AsyncIterable<unknown>, maxItems: number) {
    this.#iterator = iteratorOf(items);
    this.#maxItems = maxItems;
  }

  /** Passes over items that are stored already. @throws ToolError when there are fewer */
  async skip(count: number): Promise<void> {
    while (this.#read < count) {
      const next = this.#next();
      // Of hundreds of thousands of items that are there already, none is waited for.
      const { done } = next instanceof Promise ? await next : next;
      this.#coming = null;
      if (done !== true) continue;
      throw new ToolError(
        `the items of the batch end after ${this.#read}, an earlier attempt had ${count}: they must be the same each time`,
      );
    }
  }

  /**
   * Up to `size` items; fewer when they are large or come slowly, none only at the end.
   *
   * @throws {TooManyItems}
   */
  async take(size: number): Promise<TakenItems> {
    const items: string[] = [];
    const sourceIndexes: number[] = [];
    let length = 0;
    let late: Promise<typeof LATE> | null = null;
    let timer: NodeJS.Timeout | undefined;
    try {
      while (items.length < size && length < LARGEST_CHUNK) {
        // What was asked for and came too late for its chunk is the first of the next.
        const next = this.#coming ?? this.#next();
        const result =
          late === null || !(next instanceof Promise)
            ? await next
            : await Promise.race([next, late]);
        if (result === LATE) break;
        this.#coming = null;
        if (result.done === true) return { items, sourceIndexes, isLast: true };
        if (this.#read > this.#maxItems) throw new TooManyItems(null, this.#maxItems);
        const { value } = result;
        if (value instanceof SourcedItem) sourceIndexes.push(value.index);
        const item = this.#text(value instanceof SourcedItem ? value.item : value);
        items.push(item);
        length += item.length;
        late ??= new Promise((resolve) => {
          timer = setTimeout(resolve, PATIENCE_MS, LATE);
        });
      }
    } finally {
      clearTimeout(timer);
    }
    return { items, sourceIndexes, isLast: false };
  }

  /** Lets the source clean up; nothing is read any more. Never rejects. */
  async close(): Promise<void> {
    if (this.#isDone) return;
    this.#isDone = true;
    try {
      await this.#iterator.return?.();
    } catch {
      // It was not asked to do more than to end.
    }
  }

  #next(): Promise<IteratorResult<unknown>> | IteratorResult<unknown> {
    let next: IteratorResult<unknown> | Promise<IteratorResult<unknown>>;
    try {
      next = this.#iterator.next();
    } catch (error) {
      throw this.#failed(error);
    }
    if (!(next instanceof Promise)) return this.#noted(next);
    const coming = next.then(
      (result) => this.#noted(result),
      (error: unknown) => {
        throw this.#failed(error);
      },
    );
    // Whoever takes it hears of its failure; nobody may.
    coming.catch(() => {});
    this.#coming = coming;
    return coming;
  }

  #noted(result: IteratorResult<unknown>): IteratorResult<unknown> {
    if (result.done === true) this.#isDone = true;
    else this.#read += 1;
    return result;
  }

  /** Its class is kept, for it decides whether the task is tried again. */
  #failed(error: unknown): unknown {
    this.#isDone = true;
    return named(`reading item ${this.#read} of the batch failed`, error);
  }

  #text(value: unknown): string {
    const index = this.#read - 1;
    let text: string;
    try {
      text = JSON.stringify(toJsonValue(value));
    } catch (error) {
      const what = `item ${index} of the batch can not be stored`;
      if (error instanceof NotJsonError) throw new ToolError(`${what}: ${error.message}`);
      throw named(what, error);
    }
    if (text.length <= LARGEST_ITEM) return text;
    throw new ToolError(
      `item ${index} of the batch is too large: ${text.length} characters of JSON, ${LARGEST_ITEM} at most. Hand over where it is, not what it is.`,
    );
  }
}

function named(what: string, error: unknown): unknown {
  if (!(error instanceof Error)) return new Error(`${what}: ${String(error)}`);
  error.message = `${what}: ${error.message}`;
  return error;
}

function iteratorOf(items: unknown): Iterator<unknown> | AsyncIterator<unknown> {
  if (typeof items === 'object' && items !== null) {
    if (Symbol.asyncIterator in items)
      return (items as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    if (Symbol.iterator in items) return (items as Iterable<unknown>)[Symbol.iterator]();
  }
  throw new TypeError('ctx.map takes an array, an iterable or an async iterable of items');
}

/** How many items there are, when the source can say so. */
export function countOf(items: unknown): number | null {
  if (Array.isArray(items)) return items.length;
  if (items instanceof Set || items instanceof Map) return items.size;
  return null;
}
