import {
  ITEM_STATUSES,
  type ItemStatus,
  itemsUri,
  LongshoreError,
  TASK_URI_PREFIX,
  type TaskId,
} from '@longshore/core';
import { decodeItemCursor, encodeItemCursor, type ItemCursor } from '@longshore/protocol';
import * as z from 'zod';

/** Which items of a task are meant. */
export interface WantedItems {
  readonly taskId: TaskId;
  readonly status: ItemStatus;
  /** Of the only batch that is meant; null: all batches are. */
  readonly key: string | null;
}

export const ITEM_FORMATS = ['ndjson', 'csv'] as const;
export type ItemFormat = (typeof ITEM_FORMATS)[number];

const Uuid = z.uuid();
const Status = z.enum(ITEM_STATUSES);
const PATH = /^([^/]+)\/items(?:\.(ndjson|csv))?$/;

/**
 * @returns null when the URI is of something else
 * @throws {LongshoreError} INVALID_PARAMS for a status there is not · INVALID_CURSOR
 */
export function parseItemsUri(
  uri: string,
): { readonly wanted: WantedItems; readonly from: ItemCursor | null } | null {
  const [path = '', query = ''] = uri.slice(TASK_URI_PREFIX.length).split('?', 2);
  const [, taskId = '', format] = PATH.exec(path) ?? [];
  if (!Uuid.safeParse(taskId).success || format !== undefined) return null;
  const params = new URLSearchParams(query);
  const cursor = params.get('cursor');
  return {
    wanted: wantedItems(taskId, params),
    from: cursor === null ? null : decodeItemCursor(cursor),
  };
}

/**
 * @param path `{taskId}/items.ndjson` or `{taskId}/items.csv`
 * @returns null for anything else
 * @throws {LongshoreError} INVALID_PARAMS for a status there is not
 */
export function parseItemsPath(
  path: string,
  params: URLSearchParams,
): { readonly wanted: WantedItems; readonly format: ItemFormat } | null {
  const [, taskId = '', format] = PATH.exec(path) ?? [];
  if (!Uuid.safeParse(taskId).success || format === undefined) return null;
  return { wanted: wantedItems(taskId, params), format: format as ItemFormat };
}

/** Where the items from there on are read. */
export function itemsPageUri({ taskId, status, key }: WantedItems, from: ItemCursor): string {
  return itemsUri(taskId, {
    ...(status === 'all' ? {} : { status }),
    ...(key === null ? {} : { key }),
    cursor: encodeItemCursor(from),
  });
}

function wantedItems(taskId: string, params: URLSearchParams): WantedItems {
  const status = Status.safeParse(params.get('status') ?? 'all');
  if (!status.success) {
    throw new LongshoreError('INVALID_PARAMS', `status must be ${ITEM_STATUSES.join(', ')}`);
  }
  return { taskId: taskId as TaskId, status: status.data, key: params.get('key') };
}
