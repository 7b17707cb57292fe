import { type JsonObject, LongshoreError, type PrincipalId } from '@longshore/core';
import { PAGE_META } from '@longshore/protocol';
import { contentNotFound, parseTaskUri, taskUri } from '../tasks/task-uri.ts';
import { itemsPageUri, parseItemsUri } from './items-address.ts';
import { itemsPage } from './items-page.ts';
import { pageBytes, pageContent } from './page.ts';
import type { TaskContents } from './task-contents.ts';
import type { TaskItems } from './task-items.ts';

const READ_TIMEOUT_MS = 30_000;

/**
 * resources/read of a result or a file of a task, or of its items (`readItemsPage`): as much from the offset on as
 * one answer takes. `_meta` of the content says which bytes these are, of how many, and where the next ones are.
 *
 * @param maxBytes of the page, as it is sent
 * @throws {LongshoreError} RESOURCE_NOT_FOUND · INVALID_PARAMS · FILE_STORE_UNAVAILABLE
 */
export async function readTaskResource(
  contents: TaskContents,
  owner: PrincipalId,
  uri: string,
  maxBytes: number,
): Promise<JsonObject> {
  if (parseItemsUri(uri) !== null) return readItemsPage(contents.items, owner, uri, maxBytes);
  const part = parseTaskUri(uri);
  const content = await contents.find(part, owner);
  if (content === null) throw contentNotFound(uri);
  const { size, mimeType } = content;
  const start = part.offset;
  if (start > size || part.length === 0) {
    throw new LongshoreError(
      'INVALID_PARAMS',
      `${uri} has ${size} bytes: read one or more from there on`,
    );
  }
  const limit = Math.min(part.length ?? Number.POSITIVE_INFINITY, pageBytes(mimeType, maxBytes));
  const end = Math.min(size, start + limit);
  const bytes = await collect((signal) => content.read({ start, end }, signal), end - start);
  const { body, taken } = pageContent(bytes, mimeType, end === size);
  const next = start + taken;
  const page: JsonObject = { offset: start, length: taken, total: size };
  if (next < size) page['next'] = `${taskUri(part)}?offset=${next}`;
  return { contents: [{ uri, mimeType, ...body, _meta: { [PAGE_META]: page } }] };
}

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
  const page = await itemsPage(items, owner, wanted, from, maxBytes);
  if (page === null) throw contentNotFound(uri);
  const { entries, isSettled, next } = page;
  const meta: JsonObject = { count: entries.length, complete: isSettled };
  if (next !== null) meta['next'] = itemsPageUri(wanted, next);
  const text = `[${entries.join(',')}]`;
  return {
    contents: [{ uri, mimeType: 'application/json', text, _meta: { [PAGE_META]: meta } }],
  };
}

async function collect(
  read: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
  length: number,
): Promise<Uint8Array> {
  const limit = new AbortController();
  const timer = setTimeout(
    () =>
      limit.abort(
        new LongshoreError('FILE_STORE_UNAVAILABLE', 'the store of files did not answer in time'),
      ),
    READ_TIMEOUT_MS,
  );
  try {
    const bytes = new Uint8Array(length);
    let filled = 0;
    for await (const chunk of read(limit.signal)) {
      bytes.set(chunk, filled);
      filled += chunk.length;
    }
    return bytes.subarray(0, filled);
  } finally {
    clearTimeout(timer);
  }
}
