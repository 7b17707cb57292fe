import {
  type AuditTarget,
  type CancelOutcome,
  type EventBus,
  type JobQueue,
  type Logger,
  type PrincipalId,
  type TaskStore,
  taskTopic,
  workerTopic,
} from '@longshore/core';
import type { ApiMetrics } from '@longshore/metrics';
import { parseTaskId, taskNotFound } from './owned-tasks.ts';

/** What is told of it: waiters and workers by the bus, the queue of a job that nobody has started. */
interface Cancellation {
  readonly tasks: TaskStore;
  readonly bus: EventBus;
  readonly jobs: JobQueue;
  readonly metrics: Pick<ApiMetrics, 'cancelled' | 'orphaned'>;
  readonly log: Logger;
}

/** The log of whoever cancels it, who is put on record. */
interface Recorded extends Logger {
  audit(action: 'task_cancelled', target: AuditTarget): void;
}

/**
 * Cancels a task that its client has a handle of, and tells whoever it concerns. A task that has ended stays as it is.
 *
 * @throws {LongshoreError} TASK_NOT_FOUND
 */
export async function cancelOwned(
  context: Cancellation,
  owner: PrincipalId,
  id: string,
  log: Recorded,
): Promise<Exclude<CancelOutcome, { kind: 'not_found' }>> {
  const outcome = await context.tasks.cancel(parseTaskId(id), owner);
  if (outcome.kind === 'not_found') throw taskNotFound();
  if (outcome.kind === 'cancelled') {
    log.info({ taskId: outcome.task.id, workerId: outcome.workerId }, 'task cancelled');
    log.audit('task_cancelled', { kind: 'task', id: outcome.task.id });
    await announceCancellation(context, outcome);
  }
  return outcome;
}

/** Counts it, tells waiters and the workers of it and of what it had started, and takes the job out of the queue when nobody has started it. */
export async function announceCancellation(
  context: Cancellation,
  outcome: Extract<CancelOutcome, { kind: 'cancelled' }>,
): Promise<void> {
  const { task, workerId, queue, descendants } = outcome;
  context.metrics.cancelled({ toolName: task.toolName, queue }, 'client');
  context.metrics.orphaned(descendants);
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
