import { type BatchId, type ItemPlace, LongshoreError } from '@longshore/core';
import * as z from 'zod';

/** Lists in the order of creation, each with cursors of its own. */
const PLACE_LISTS = { tasks: 't', schedules: 's', principals: 'p', deliveries: 'd' } as const;
export type PlaceList = keyof typeof PLACE_LISTS;
const PlacePosition = z.tuple([z.enum(PLACE_LISTS), z.int().min(0).max(8.64e15), z.uuid()]);
const Place = z.int().min(0).max(2_147_483_647);
const ItemPosition = z.tuple([z.literal('i'), z.uuid(), Place, Place]);
const NamePosition = z.tuple([z.literal('n'), z.string(), z.string().min(1)]);

/**
 * Cursors are opaque to clients: base64url of a small JSON tuple, checked on the way back.
 * @param place of the last entry of a page
 */
export function encodePlaceCursor(
  list: PlaceList,
  place: { readonly createdAt: Date; readonly id: string },
): string {
  return encode([PLACE_LISTS[list], place.createdAt.getTime(), place.id]);
}

/** @throws {LongshoreError} INVALID_CURSOR (2025-11-25 server/utilities/pagination: -32602) */
export function decodePlaceCursor<Id extends string>(
  list: PlaceList,
  cursor: string,
): { readonly createdAt: Date; readonly id: Id } {
  const [of, createdAtMs, id] = decode(cursor, PlacePosition);
  if (of !== PLACE_LISTS[list]) throw invalidCursor();
  return { createdAt: new Date(createdAtMs), id: id as Id };
}

/**
 * @param list the list's member of the result, such as `tools`: a cursor counts for its own list only
 * @param name name or address of the last entry of a page
 */
export function encodeNameCursor(list: string, name: string): string {
  return encode(['n', list, name]);
}

/** @throws {LongshoreError} INVALID_CURSOR */
export function decodeNameCursor(list: string, cursor: string): string {
  const [, cursorList, name] = decode(cursor, NamePosition);
  if (cursorList !== list) throw invalidCursor();
  return name;
}

/** An item of one of a task's batches. */
export interface ItemCursor extends ItemPlace {
  readonly batchId: BatchId;
}

export function encodeItemCursor({ batchId, position, offset }: ItemCursor): string {
  return encode(['i', batchId, position, offset]);
}

/** @throws {LongshoreError} INVALID_CURSOR */
export function decodeItemCursor(cursor: string): ItemCursor {
  const [, batchId, position, offset] = decode(cursor, ItemPosition);
  return { batchId: batchId as BatchId, position, offset };
}

function encode(tuple: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(tuple)).toString('base64url');
}

function decode<T>(cursor: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch (cause) {
    throw invalidCursor(cause);
  }
}

function invalidCursor(cause?: unknown): LongshoreError {
  return new LongshoreError(
    'INVALID_CURSOR',
    'Invalid cursor: use the nextCursor of an earlier page',
    { cause },
  );
}
