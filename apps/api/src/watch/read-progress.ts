import type { PrincipalId, Progress, ProgressToken, TaskId, TaskStore } from '@longshore/core';

/**
 * How far a task is, as its row says; null as well when nobody is told, which is not worth a read.
 *
 * @param token of whoever waits
 */
export async function readProgress(
  tasks: Pick<TaskStore, 'findWithOutcome'>,
  { id, owner }: { readonly id: TaskId; readonly owner: PrincipalId },
  token: ProgressToken | null,
): Promise<Progress | null> {
  if (token === null) return null;
  const found = await tasks.findWithOutcome(id, owner);
  return found?.task.progress ?? null;
}
