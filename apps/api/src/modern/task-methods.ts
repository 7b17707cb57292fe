import type { JsonObject } from '@longshore/core';
import { type ModernParamsOf, requireTasks } from '@longshore/protocol';
import type { ApiContext } from '../methods/api-context.ts';
import { cancelOwned } from '../tasks/cancel-task.ts';
import { requireTask, requireTaskWithOutcome } from '../tasks/owned-tasks.ts';
import { taskDetails } from '../watch/task-details.ts';
import type { ModernCall } from './modern-call.ts';

/**
 * The methods of the tasks extension. Each asks for the client's capability before it looks for the task,
 * and takes unknown, expired and foreign tasks for one case.
 *
 * @see 2026-07-28 extension io.modelcontextprotocol/tasks
 */

/** tasks/get: state, outcome and open questions in one answer. */
export async function getTask(
  context: ApiContext,
  call: ModernCall,
  params: ModernParamsOf<'tasks/get'>,
): Promise<JsonObject> {
  requireTasks(call.envelope.clientCapabilities);
  const { principalId } = call.identity;
  const found = await requireTaskWithOutcome(context, principalId, params.taskId);
  return taskDetails(context, found, principalId);
}

/** tasks/update: takes as many answers as fit open questions, and acknowledges also when none does. */
export async function updateTask(
  context: ApiContext,
  call: ModernCall,
  params: ModernParamsOf<'tasks/update'>,
): Promise<JsonObject> {
  requireTasks(call.envelope.clientCapabilities);
  const { principalId } = call.identity;
  const { id } = await requireTask(context, principalId, params.taskId);
  const outcome = await context.inputs.answer(id, principalId, params.inputResponses);
  if (outcome.kind === 'answered' && outcome.keys.length > 0)
    call.delivery.log.audit('task_answered', { kind: 'task', id });
  return {};
}

/** tasks/cancel: an acknowledgement, also for a task that has ended: then it stays as it is. */
export async function cancelTask(
  context: ApiContext,
  call: ModernCall,
  params: ModernParamsOf<'tasks/cancel'>,
): Promise<JsonObject> {
  requireTasks(call.envelope.clientCapabilities);
  await cancelOwned(context, call.identity.principalId, params.taskId, call.delivery.log);
  return {};
}
