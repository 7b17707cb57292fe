import type { JsonObject, Session } from '@longshore/core';
import { decodeTaskCursor, encodeTaskCursor, legacyTask } from '@longshore/protocol';
import type { ApiContext } from './api-context.ts';

const PAGE_SIZE = 50;

/** tasks/list: the caller's tasks, newest first; the cursor is the place where the last page ended. */
export async function listTasks(
  context: ApiContext,
  session: Session,
  params: { cursor?: string | undefined },
): Promise<JsonObject> {
  const after = params.cursor === undefined ? null : decodeTaskCursor(params.cursor);
  const found = await context.tasks.list(session.principalId, PAGE_SIZE + 1, after);
  const page = found.slice(0, PAGE_SIZE);
  const last = page.at(-1);
  return {
    tasks: page.map((task) => legacyTask(task, context.settings.pollIntervalMs)),
    ...(found.length > PAGE_SIZE && last !== undefined
      ? { nextCursor: encodeTaskCursor({ createdAt: last.createdAt, id: last.id }) }
      : {}),
  };
}
