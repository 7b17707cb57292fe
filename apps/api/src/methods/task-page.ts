import type { PrincipalId, Task } from '@longshore/core';
import { decodeTaskCursor, encodeTaskCursor } from '@longshore/protocol';
import type { ApiContext } from './api-context.ts';

/**
 * Tasks of a principal, newest first, from where the cursor's page ended.
 *
 * @returns with the cursor of the next page; null: this is the last one
 * @throws {LongshoreError} INVALID_CURSOR
 */
export async function taskPage(
  context: Pick<ApiContext, 'tasks'>,
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
