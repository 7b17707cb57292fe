import {
  LongshoreError,
  type PrincipalId,
  type Task,
  type TaskId,
  type TaskStore,
  type TaskWithOutcome,
} from '@longshore/core';
import { decodeTaskCursor, encodeTaskCursor } from '@longshore/protocol';
import * as z from 'zod';

const Uuid = z.uuid();

/** Unknown, expired and foreign tasks are one case: nobody can tell them apart. */
export const taskNotFound = (): LongshoreError =>
  new LongshoreError('TASK_NOT_FOUND', 'Task not found');

/**
 * A string that can not be one of our ids is an unknown task, not a malformed request: clients can not
 * tell unknown, expired and foreign tasks apart.
 *
 * @throws {LongshoreError} TASK_NOT_FOUND
 */
export function parseTaskId(text: string): TaskId {
  if (!Uuid.safeParse(text).success) throw taskNotFound();
  return text as TaskId;
}

/** @throws {LongshoreError} TASK_NOT_FOUND when it is unknown, expired, foreign, or its client has no handle of it */
export async function requireTask(
  { tasks }: { readonly tasks: TaskStore },
  owner: PrincipalId,
  id: string,
): Promise<Task> {
  const task = await tasks.find(parseTaskId(id), owner);
  if (task === null) throw taskNotFound();
  return task;
}

/** As requireTask. */
export async function requireTaskWithOutcome(
  { tasks }: { readonly tasks: TaskStore },
  owner: PrincipalId,
  id: string,
): Promise<TaskWithOutcome> {
  const found = await tasks.findWithOutcome(parseTaskId(id), owner);
  // A call that is held open has a row too, but its client no handle of it.
  if (found === null || !found.task.listed) throw taskNotFound();
  return found;
}

/**
 * Tasks of a principal, newest first, from where the cursor's page ended.
 *
 * @returns with the cursor of the next page; null: this is the last one
 * @throws {LongshoreError} INVALID_CURSOR
 */
export async function taskPage(
  context: { readonly tasks: TaskStore },
  owner: PrincipalId,
  cursor: string | undefined,
  size: number,
): Promise<{ readonly tasks: readonly Task[]; readonly next: string | null }> {
  const after = cursor === undefined ? null : decodeTaskCursor(cursor);
  const found = await context.tasks.list(owner, size + 1, after);
  const tasks = found.slice(0, size);
  const last = tasks.at(-1);
  const hasMore = found.length > size && last !== undefined;
  return { tasks, next: hasMore ? encodeTaskCursor(last) : null };
}
