import { verify } from '../manifest/violation.ts';
import { isObject, type JsonObject, show } from '../wire/json.ts';
import type { Session } from '../wire/session.ts';

const MAX_PAGES = 10_000;

/** One page of tasks/list. */
export interface TaskPage {
  readonly tasks: readonly JsonObject[];
  /** Undefined on the last page. */
  readonly nextCursor: unknown;
}

/** @throws {Violation} tasks-list-tasks */
export async function listPage(session: Session, cursor?: unknown): Promise<TaskPage> {
  const answer = await session.call('tasks/list', cursor === undefined ? {} : { cursor });
  const tasks = answer.result?.['tasks'];
  const fits =
    Array.isArray(tasks) && tasks.every((task) => isObject(task) && task['taskId'] !== undefined);
  verify(
    fits,
    'tasks-list-tasks',
    `tasks/list answered ${show(answer.result ?? answer.error)}, no {tasks: Task[]}`,
  );
  return { tasks: tasks as JsonObject[], nextCursor: answer.result?.['nextCursor'] };
}

/** Page by page to the end. */
export async function* listPages(session: Session): AsyncGenerator<TaskPage> {
  let cursor: unknown;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await listPage(session, cursor);
    yield page;
    cursor = page.nextCursor;
    if (cursor === undefined || cursor === null) return;
  }
}

/** Ids of all tasks that are listed. */
export async function listedIds(session: Session): Promise<unknown[]> {
  const ids: unknown[] = [];
  for await (const { tasks } of listPages(session)) {
    ids.push(...tasks.map((task) => task['taskId']));
  }
  return ids;
}

/** A task as tasks/list shows it; null when it does not. */
export async function listedTask(session: Session, id: string): Promise<JsonObject | null> {
  for await (const { tasks } of listPages(session)) {
    const found = tasks.find((task) => task['taskId'] === id);
    if (found !== undefined) return found;
  }
  return null;
}
