import { stringify } from 'csv-stringify/sync';
import { type ItemEntry, itemEntry } from './item-entry.ts';
import type { ItemFormat } from './items-address.ts';
import type { ItemsSlice } from './task-items.ts';

export const ITEM_TYPES: Readonly<Record<ItemFormat, string>> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
};

const COLUMNS = ['index', 'ok', 'attempts', 'error_code', 'error_message', 'value'];

/**
 * A slice of items as lines of a file.
 *
 * NDJSON: an entry per line. CSV (RFC 4180, lines end in a line feed): a value that is text as it is, any other
 * as JSON, what is not there as nothing. Text that a spreadsheet would take for a formula gets an apostrophe
 * in front; numbers stay as they are.
 */
export function itemLines({ items, batchKey }: ItemsSlice, format: ItemFormat): string {
  const entries = items.map((item) => itemEntry(item, batchKey));
  if (format === 'ndjson') return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  return csv(entries.map(csvRecord));
}

/** What comes before the lines. @param batchKey as of the first slice */
export function itemsHeader({ batchKey }: ItemsSlice, format: ItemFormat): string {
  if (format === 'ndjson') return '';
  return csv([batchKey === null ? COLUMNS : ['batch', ...COLUMNS]]);
}

function csvRecord({ batch, index, ok, attempts, error, value }: ItemEntry): unknown[] {
  const isPlain = typeof value === 'string' || typeof value === 'number';
  return [
    ...(batch === undefined ? [] : [batch]),
    ...[index, ok, attempts, error?.code, error?.message],
    isPlain || value === undefined || value === null ? value : JSON.stringify(value),
  ];
}

function csv(records: readonly unknown[][]): string {
  return stringify([...records], { escape_formulas: true, cast: { boolean: String } });
}
