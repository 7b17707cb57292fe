import type { JsonObject, Session } from '@longshore/core';
import { legacyTask } from '@longshore/protocol';
import type { ApiContext } from '../methods/api-context.ts';
import { taskPage } from '../tasks/owned-tasks.ts';

const PAGE_SIZE = 50;

/** tasks/list: the caller's tasks, newest first; the cursor is the place where the last page ended. */
export async function listTasks(
  context: ApiContext,
  session: Session,
  params: { cursor?: string | undefined },
): Promise<JsonObject> {
  const { tasks, next } = await taskPage(context, session.principalId, params.cursor, PAGE_SIZE);
  return {
    tasks: tasks.map((task) => legacyTask(task, context.settings)),
    ...(next === null ? {} : { nextCursor: next }),
  };
}
