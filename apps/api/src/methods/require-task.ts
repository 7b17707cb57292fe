import type { PrincipalId, Task, TaskWithOutcome } from '@longshore/core';
import type { ApiContext } from './api-context.ts';
import { parseTaskId } from './parse-task-id.ts';
import { taskNotFound } from './task-not-found.ts';

/** @throws {LongshoreError} TASK_NOT_FOUND when it is unknown, expired, foreign, or its client has no handle of it */
export async function requireTask(
  context: Pick<ApiContext, 'tasks'>,
  owner: PrincipalId,
  id: string,
): Promise<Task> {
  const task = await context.tasks.find(parseTaskId(id), owner);
  if (task === null) throw taskNotFound();
  return task;
}

/** As requireTask. */
export async function requireTaskWithOutcome(
  context: Pick<ApiContext, 'tasks'>,
  owner: PrincipalId,
  id: string,
): Promise<TaskWithOutcome> {
  const found = await context.tasks.findWithOutcome(parseTaskId(id), owner);
  // A call that is held open has a row too, but its client no handle of it.
  if (found === null || !found.task.listed) throw taskNotFound();
  return found;
}
