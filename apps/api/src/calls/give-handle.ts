import {
  isTerminal,
  type JsonObject,
  type PrincipalId,
  type TaskId,
  taskTopic,
} from '@longshore/core';
import { jobHandle } from '../tasks/job-text.ts';
import { taskNotFound } from '../tasks/owned-tasks.ts';
import type { CallContext } from './call-context.ts';
import { resultOf } from './outcome-error.ts';

/**
 * Answers a held call whose client waits no longer with the handle of a job, unless it has just ended.
 *
 * @throws {StoredOutcomeError} when it has ended in a JSON-RPC error
 * @throws {LongshoreError} TASK_NOT_FOUND · TASK_CANCELLED
 */
export async function giveHandle(
  context: CallContext,
  id: TaskId,
  owner: PrincipalId,
): Promise<JsonObject> {
  const promoted = await context.tasks.promote(id, owner);
  const found = await context.tasks.findWithOutcome(id, owner);
  if (found === null) throw taskNotFound();
  if (isTerminal(found.task)) return resultOf(id, found.outcome);
  if (promoted !== null) {
    // Its messages and questions go with the session from here on.
    await context.bus.publish(taskTopic(found.task), { kind: 'changed', taskId: id });
  }
  return jobHandle(found.task);
}
