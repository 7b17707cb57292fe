import {
  type CancelOutcome,
  type JsonObject,
  LongshoreError,
  type Session,
  taskTopic,
  workerTopic,
} from '@longshore/core';
import { legacyStatus, legacyTask } from '@longshore/protocol';
import type { ApiContext } from './api-context.ts';
import type { Delivery } from './delivery.ts';
import { parseTaskId } from './parse-task-id.ts';

/**
 * tasks/cancel: the row is cancelled before the answer; the worker that runs it is told, and notices from
 * the database should the message be lost.
 */
export async function cancelTask(
  context: ApiContext,
  session: Session,
  params: { taskId: string },
  delivery: Delivery,
): Promise<JsonObject> {
  const outcome = await context.tasks.cancel(parseTaskId(params.taskId), session.principalId);
  if (outcome.kind === 'not_found') throw new LongshoreError('TASK_NOT_FOUND', 'Task not found');
  if (outcome.kind === 'already_terminal') {
    const status = legacyStatus(outcome.task);
    throw new LongshoreError(
      'TASK_TERMINAL',
      `Cannot cancel task: already in terminal status '${status}'`,
    );
  }
  delivery.log.info({ taskId: outcome.task.id, workerId: outcome.workerId }, 'task cancelled');
  await announceCancellation(context, outcome);
  return legacyTask(outcome.task, context.settings.pollIntervalMs);
}

/** Tells waiters and the workers of it and of what it had started, and takes the job out of the queue when nobody has started it. */
export async function announceCancellation(
  context: ApiContext,
  outcome: Extract<CancelOutcome, { kind: 'cancelled' }>,
): Promise<void> {
  const { task, workerId, queue, descendants } = outcome;
  await Promise.all([
    context.bus.publish(taskTopic(task), { kind: 'changed', taskId: task.id }),
    workerId === null
      ? context.jobs.remove(queue, task.id).catch((error: unknown) => {
          context.log.debug(
            { taskId: task.id, err: error },
            'job of a cancelled task was not removed',
          );
        })
      : context.bus.publish(workerTopic(workerId), { kind: 'cancel', taskId: task.id }),
    ...descendants.map(async ({ id: taskId, workerId: runner }) => {
      if (runner === null) return;
      await context.bus.publish(workerTopic(runner), { kind: 'cancel', taskId });
    }),
  ]);
}
