import type { ItemStatus, TaskId } from '@longshore/core';
import { decodeItemCursor, encodeItemCursor } from '@longshore/protocol';
import { sendContent } from '../contents/download-endpoint.ts';
import type { ItemEntry } from '../contents/item-entry.ts';
import type { WantedItems } from '../contents/items-address.ts';
import { itemsPage } from '../contents/items-page.ts';
import { taskNotFound } from '../tasks/owned-tasks.ts';
import { contentNotFound } from '../tasks/task-uri.ts';
import type { Handlers } from './operation.ts';
import { ownerOf, ownerOfRead } from './read-tasks.ts';

/** Of one answer. */
const PAGE_BYTES = 262_144;
/** Failed items that are looked at to name their messages: some pages of them. */
const FAILURE_BYTES = 1_048_576;
/** Messages that are named. */
const MOST_MESSAGES = 50;
/** Cells of a map, each one or more chunks. */
const MOST_CELLS = 1_000;

export const batchReads: Handlers<
  'GET /tasks/{id}/items' | 'GET /tasks/{id}/items/download' | 'GET /tasks/{id}/batch'
> = {
  'GET /tasks/{id}/items': async (context, { operator, params, query }) => {
    const owner = await ownerOfRead(context, operator, params.id);
    const from = query.cursor === undefined ? null : decodeItemCursor(query.cursor);
    const { items } = context.contents;
    const page = await itemsPage(items, owner, wanted(params.id, query), from, PAGE_BYTES);
    if (page === null) throw taskNotFound();
    return {
      items: page.entries.map((text) => shown(JSON.parse(text) as ItemEntry)),
      next: page.next === null ? null : encodeItemCursor(page.next),
    };
  },

  'GET /tasks/{id}/items/download': async (
    context,
    { operator, params, query, request, response },
  ) => {
    const owner = await ownerOf(context, operator, params.id);
    const items = wanted(params.id, query);
    const content = await context.contents.findItems(items, 'ndjson', owner);
    if (content === null) throw contentNotFound(request.path);
    operator.log.audit('task_downloaded', { kind: 'task', id: params.id });
    await sendContent(content, request, response);
    return undefined;
  },

  'GET /tasks/{id}/batch': async (context, { operator, params, query }) => {
    const owner = await ownerOfRead(context, operator, params.id);
    const map = await context.store.batchMap(
      params.id as TaskId,
      owner,
      query.key ?? null,
      MOST_CELLS,
    );
    if (map === null) throw taskNotFound();
    const failed = { taskId: params.id as TaskId, status: 'failed', key: map.key } as const;
    const page =
      map.failed === 0
        ? null
        : await itemsPage(context.contents.items, owner, failed, null, FAILURE_BYTES);
    const entries = (page?.entries ?? []).map((text) => JSON.parse(text) as ItemEntry);
    return {
      ...map,
      cells: [...map.cells],
      failures: byMessage(entries),
      failuresLookedAt: entries.length,
    };
  },
};

function wanted(
  id: string,
  { status = 'all', key }: { readonly status?: ItemStatus; readonly key?: string | undefined },
): WantedItems {
  return { taskId: id as TaskId, status, key: key ?? null };
}

function shown({ index, ok, attempts, value, error }: ItemEntry) {
  const status: 'done' | 'failed' = ok ? 'done' : 'failed';
  return { index, status, attempts, value: value ?? null, error: error ?? null };
}

/** Messages that differ in numbers and quoted names only are one. */
function byMessage(entries: readonly ItemEntry[]) {
  const groups = new Map<string, { message: string; count: number; sampleIndex: number }>();
  for (const { index, error } of entries) {
    const message = error?.message ?? '';
    const kind = message.replace(/"[^"]*"|'[^']*'|[0-9a-f-]{16,}|\d+/gi, '#');
    const group = groups.get(kind) ?? { message, count: 0, sampleIndex: index };
    group.count += 1;
    groups.set(kind, group);
  }
  return [...groups.values()].sort((one, other) => other.count - one.count).slice(0, MOST_MESSAGES);
}
