import {
  type CancelOutcome,
  type JsonObject,
  type Logger,
  LongshoreError,
  type PrincipalId,
  type Session,
  taskTopic,
  workerTopic,
} from '@longshore/core';
import { legacyStatus, legacyTask } from '@longshore/protocol';
import type { ApiContext } from './api-context.ts';
import type { Delivery } from './delivery.ts';
import { parseTaskId } from './parse-task-id.ts';
import { taskNotFound } from './task-not-found.ts';

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
  const outcome = await cancelOwned(context, session.principalId, params.taskId, delivery.log);
  if (outcome.kind === 'already_terminal') {
    const status = legacyStatus(outcome.task, context.settings.toolErrors);
    throw new LongshoreError(
      'TASK_TERMINAL',
      `Cannot cancel task: already in terminal status '${status}'`,
    );
  }
  return legacyTask(outcome.task, context.settings);
}

/**
 * Cancels a task that its client has a handle of, and tells whoever it concerns. A task that has ended stays as it is.
 *
 * @throws {LongshoreError} TASK_NOT_FOUND
 */
export async function cancelOwned(
  context: ApiContext,
  owner: PrincipalId,
  id: string,
  log: Logger,
): Promise<Exclude<CancelOutcome, { kind: 'not_found' }>> {
  const outcome = await context.tasks.cancel(parseTaskId(id), owner);
  if (outcome.kind === 'not_found') throw taskNotFound();
  if (outcome.kind === 'cancelled') {
    log.info({ taskId: outcome.task.id, workerId: outcome.workerId }, 'task cancelled');
    await announceCancellation(context, outcome);
  }
  return outcome;
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
