import type { NewTask, PrincipalId, Task } from '@longshore/core';
import { taskNotFound } from '../tasks/owned-tasks.ts';
import type { CallContext } from './call-context.ts';

/** A task that was accepted just now, as its client gets to see it. */
export function newHandle(task: Omit<NewTask, 'enqueue'>, createdAt: Date): Task {
  return {
    ...task,
    state: 'working',
    progress: null,
    statusMessage: null,
    isHeld: false,
    createdAt,
    updatedAt: createdAt,
  };
}

/**
 * A task that was there already, with a handle: if it began as a call without one, it gets one now.
 * @throws {LongshoreError} TASK_NOT_FOUND when it has expired meanwhile
 */
export async function withHandle(
  { tasks }: CallContext,
  task: Task,
  owner: PrincipalId,
): Promise<Task> {
  if (task.listed) return task;
  // Another request may have given it one in between.
  const listed = (await tasks.promote(task.id, owner)) ?? (await tasks.find(task.id, owner));
  if (listed === null) throw taskNotFound();
  return listed;
}
