import { type Access, type PrincipalId, RETRY_TOOL, type TaskId } from '@longshore/core';
import type { CallToolParams } from '@longshore/protocol';
import { requireScopes, toolScopes } from '../edge/auth/required-scopes.ts';
import type { CallContext } from './call-context.ts';

/**
 * A call of `retry_failed` needs what a call of the tool needs whose items it runs again. Of a task that goes on
 * that is not known yet, so it is refused here; what the worker refuses anyway needs nothing.
 *
 * @returns a sentence for the model when the call can not run, else null
 * @throws {LongshoreError} INSUFFICIENT_SCOPE
 */
export async function checkRetry(
  { contents }: Pick<CallContext, 'contents'>,
  access: Access,
  owner: PrincipalId,
  { name, arguments: args }: Pick<CallToolParams, 'name' | 'arguments'>,
): Promise<string | null> {
  const { task_id: taskId, key } = args;
  if (name !== RETRY_TOOL || access.scopes === null || typeof taskId !== 'string') return null;
  const task = await contents.items.findTask(taskId as TaskId, owner);
  if (task === null) return null;
  if (!task.isSettled) return `Task ${taskId} has not ended: wait for it first`;
  const tools = task.batches
    .filter((batch) => key === undefined || batch.key === key)
    .flatMap(({ target }) => (target === null ? [] : [target.toolName]));
  requireScopes(access, [...new Set(tools)].flatMap(toolScopes));
  return null;
}
