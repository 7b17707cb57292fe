import { createHash } from 'node:crypto';
import type { ByteRange, OwnedBatches, PrincipalId, SliceLimits } from '@longshore/core';
import type { ItemCursor } from '@longshore/protocol';
import type { RecentMap } from '../watch/recent-map.ts';
import { entryOverheadBytes } from './item-entry.ts';
import { ITEM_TYPES, itemLines, itemsHeader } from './item-lines.ts';
import type { ItemFormat, WantedItems } from './items-address.ts';
import type { TaskContent } from './task-content.ts';
import type { TaskItems } from './task-items.ts';

/** Of items, fetched at once. An item may be larger. */
const SLICE_BYTES = 262_144;

/** Between two places of a file that are remembered. */
const MARK_BYTES = 4_194_304;

/** Changes when the same items are written in another way. */
const FORMAT_VERSION = 1;

/** A place of the file that reading can begin at. */
interface Mark {
  readonly at: number;
  /** Null: the beginning. */
  readonly from: ItemCursor | null;
}

/** How long a file is, which takes a reading of it to know. */
export interface Measured {
  readonly size: number;
  /** In order. */
  readonly marks: readonly Mark[];
}

/** The marks of `Measured` by version. */
export type MeasuredFiles = RecentMap<string, Measured>;

export interface ItemsDownloadOptions {
  readonly items: TaskItems;
  readonly found: OwnedBatches;
  readonly wanted: WantedItems;
  readonly owner: PrincipalId;
  readonly format: ItemFormat;
  readonly measured: MeasuredFiles;
}

/**
 * The items of a task as a file. It is written while it is read, a slice at a time: nobody has it whole. While
 * the task runs it is what is there so far; from its end on it is always the same.
 */
export function itemsDownload(options: ItemsDownloadOptions): TaskContent {
  const { found, wanted, format, measured } = options;
  const version = found.isSettled ? versionOf(wanted, format) : null;
  const known = version === null ? undefined : measured.get(version);
  return {
    name: `items.${format}`,
    mimeType: ITEM_TYPES[format],
    size: known?.size ?? null,
    version,
    measure: async (signal) => {
      const { size } =
        version === null
          ? await measure(options, signal)
          : await remembered(options, version, signal);
      return size;
    },
    read: (range, signal) => {
      const marks = version === null ? [] : (measured.get(version)?.marks ?? []);
      return read(options, marks, range, signal);
    },
  };
}

async function remembered(
  options: ItemsDownloadOptions,
  version: string,
  signal: AbortSignal,
): Promise<Measured> {
  const known = options.measured.get(version);
  if (known !== undefined) return known;
  const made = await measure(options, signal);
  options.measured.set(version, made);
  return made;
}

async function measure(options: ItemsDownloadOptions, signal: AbortSignal): Promise<Measured> {
  const marks: Mark[] = [{ at: 0, from: null }];
  let size = 0;
  let marked = 0;
  for await (const { text, next } of pieces(options, null, signal)) {
    size += Buffer.byteLength(text);
    if (next === null || size - marked < MARK_BYTES) continue;
    marks.push({ at: size, from: next });
    marked = size;
  }
  return { size, marks };
}

async function* read(
  options: ItemsDownloadOptions,
  marks: readonly Mark[],
  { start, end }: ByteRange,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const mark = marks.findLast(({ at }) => at <= start) ?? { at: 0, from: null };
  let at = mark.at;
  for await (const { text } of pieces(options, mark.from, signal)) {
    const bytes = Buffer.from(text);
    const part = bytes.subarray(Math.max(0, start - at), Math.max(0, end - at));
    if (part.length > 0) yield part;
    at += bytes.length;
    if (at >= end) return;
  }
}

async function* pieces(
  { items, wanted, owner, format }: ItemsDownloadOptions,
  from: ItemCursor | null,
  signal: AbortSignal,
): AsyncGenerator<{ readonly text: string; readonly next: ItemCursor | null }> {
  const limits = (batchKey: string | null): SliceLimits => ({
    bytes: SLICE_BYTES,
    overheadBytes: entryOverheadBytes(batchKey),
  });
  let isFirst = from === null;
  for await (const slice of items.slices(wanted, owner, from, limits, signal)) {
    const header = isFirst ? itemsHeader(slice, format) : '';
    isFirst = false;
    yield { text: header + itemLines(slice, format), next: slice.next };
  }
}

function versionOf({ taskId, status, key }: WantedItems, format: ItemFormat): string {
  const text = JSON.stringify([FORMAT_VERSION, taskId, status, key, format]);
  return createHash('sha256').update(text).digest('base64url');
}
