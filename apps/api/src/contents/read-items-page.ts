import type { JsonObject, PrincipalId } from '@longshore/core';
import { PAGE_META } from '@longshore/protocol';
import { contentNotFound } from '../tasks/task-uri.ts';
import { itemsPageUri, parseItemsUri } from './items-address.ts';
import { itemsPage } from './items-page.ts';
import type { TaskItems } from './task-items.ts';

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
