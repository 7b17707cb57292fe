import { type JsonObject, LongshoreError } from '@longshore/core';
import { type ModernParamsOf, requireTasks } from '@longshore/protocol';
import type { ApiContext } from '../methods/api-context.ts';
import { announceCancellation } from '../methods/cancel-task.ts';
import { parseTaskId } from '../methods/parse-task-id.ts';
import type { ModernCall } from './modern-call.ts';
import { taskDetails } from './task-details.ts';

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
  const found = await context.tasks.findWithOutcome(parseTaskId(params.taskId), principalId);
  // A call that is held open has a row too, but its client no handle of it.
  if (found === null || !found.task.listed) {
    throw new LongshoreError('TASK_NOT_FOUND', 'Task not found');
  }
  return taskDetails(context, found, principalId);
}

/** tasks/update: takes as many answers as fit open questions, and acknowledges also when none does. */
export async function updateTask(
  context: ApiContext,
  call: ModernCall,
  params: ModernParamsOf<'tasks/update'>,
): Promise<JsonObject> {
  requireTasks(call.envelope.clientCapabilities);
  const id = parseTaskId(params.taskId);
  const { principalId } = call.identity;
  if ((await context.tasks.find(id, principalId)) === null) {
    throw new LongshoreError('TASK_NOT_FOUND', 'Task not found');
  }
  await context.inputs.answer(id, principalId, params.inputResponses);
  return {};
}

/** tasks/cancel: an acknowledgement, also for a task that has ended: then it stays as it is. */
export async function cancelTask(
  context: ApiContext,
  call: ModernCall,
  params: ModernParamsOf<'tasks/cancel'>,
): Promise<JsonObject> {
  requireTasks(call.envelope.clientCapabilities);
  const outcome = await context.tasks.cancel(parseTaskId(params.taskId), call.identity.principalId);
  if (outcome.kind === 'not_found') throw new LongshoreError('TASK_NOT_FOUND', 'Task not found');
  if (outcome.kind === 'cancelled') {
    const { task, workerId } = outcome;
    call.delivery.log.info({ taskId: task.id, workerId }, 'task cancelled');
    await announceCancellation(context, outcome);
  }
  return {};
}
