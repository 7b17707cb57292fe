import type { ItemError, JsonValue, ReadItem } from '@longshore/core';

/** An item as clients see it, in the words of the tool `batch`. */
export interface ItemEntry {
  /** Key of the item's batch, where the task has several. */
  readonly batch?: string;
  readonly index: number;
  readonly ok: boolean;
  readonly value?: JsonValue;
  readonly error?: ItemError;
  readonly attempts: number;
  /** The value or the error is cut, for its whole is too large. */
  readonly cut?: true;
}

/** Bytes of JSON that an entry has beside what is stored of its item, and a comma or an end of line. */
const ENTRY_BYTES = 80;

export function entryOverheadBytes(batchKey: string | null): number {
  return ENTRY_BYTES + (batchKey === null ? 0 : jsonBytes({ batch: batchKey }));
}

export const jsonBytes = (value: object): number => Buffer.byteLength(JSON.stringify(value));

/** UTF-16 units of a value or a message that is too large. At six bytes each it fits into any page. */
const CUT_UNITS = 400;

export function itemEntry(
  [index, [, attempts, value, error]]: ReadItem,
  batchKey: string | null,
): ItemEntry {
  return {
    ...(batchKey === null ? {} : { batch: batchKey }),
    index,
    ok: error === undefined,
    ...(error === undefined ? { value } : { error }),
    attempts,
  };
}

/** What is shown of an entry that is too large to be shown. */
export function cutEntry(entry: ItemEntry): ItemEntry {
  const { value, error, ...rest } = entry;
  return {
    ...rest,
    ...(error === undefined
      ? { value: beginning(JSON.stringify(value ?? null)) }
      : { error: { code: beginning(error.code), message: beginning(error.message) } }),
    cut: true,
  };
}

function beginning(text: string): string {
  if (text.length <= CUT_UNITS) return text;
  // No half of a character that takes two units.
  return `${text.slice(0, CUT_UNITS).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
