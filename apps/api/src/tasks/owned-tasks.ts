import {
  LongshoreError,
  type PrincipalId,
  type Task,
  type TaskId,
  type TaskStatus,
  type TaskStore,
  type TaskWithOutcome,
} from '@longshore/core';
import * as z from 'zod';
import { placePage } from './place-page.ts';

const Uuid = z.uuid();

/** Where tasks are read for clients. */
export interface OwnedTasks {
  readonly tasks: TaskStore;
  /** What is said of a task that waits because operators have paused what it needs; null: nothing. */
  readonly pauseNote: (task: Task) => string | null;
}

/** A task as its client is shown it. */
function shown({ pauseNote }: OwnedTasks, task: Task): Task {
  if (task.state !== 'working' || task.isHeld) return task;
  const note = pauseNote(task);
  return note === null ? task : { ...task, statusMessage: note };
}

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

/** @returns null when it is unknown, malformed, expired, foreign, or its client has no handle of it */
export async function findTask(
  context: OwnedTasks,
  owner: PrincipalId,
  id: string,
): Promise<Task | null> {
  const task = await context.tasks.find(id as TaskId, owner);
  return task === null ? null : shown(context, task);
}

/** @throws {LongshoreError} TASK_NOT_FOUND where `findTask` finds none */
export async function requireTask(
  context: OwnedTasks,
  owner: PrincipalId,
  id: string,
): Promise<Task> {
  const task = await findTask(context, owner, id);
  if (task === null) throw taskNotFound();
  return task;
}

/** As requireTask. */
export async function requireTaskWithOutcome(
  context: OwnedTasks,
  owner: PrincipalId,
  id: string,
): Promise<TaskWithOutcome> {
  const found = await context.tasks.findWithOutcome(parseTaskId(id), owner);
  // A call that is held open has a row too, but its client no handle of it.
  if (found === null || !found.task.listed) throw taskNotFound();
  return { ...found, task: shown(context, found.task) };
}

/**
 * Tasks of a principal, newest first, from where the cursor's page ended.
 *
 * @returns with the cursor of the next page; null: this is the last one
 * @throws {LongshoreError} INVALID_CURSOR
 */
export async function taskPage(
  context: OwnedTasks,
  owner: PrincipalId,
  { cursor, size }: { readonly cursor: string | undefined; readonly size: number },
  status: TaskStatus | null = null,
): Promise<{ readonly tasks: readonly Task[]; readonly next: string | null }> {
  const { rows, next } = await placePage<Task>('tasks', { cursor, limit: size }, (limit, after) =>
    context.tasks.list(owner, limit, after, status),
  );
  return { tasks: rows.map((task) => shown(context, task)), next };
}
