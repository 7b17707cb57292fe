import { type JsonObject, LongshoreError, type Session } from '@longshore/core';
import { legacyStatus, legacyTask } from '@longshore/protocol';
import type { CallContext } from '../calls/call-context.ts';
import type { Delivery } from '../edge/delivery.ts';
import { cancelOwned } from '../tasks/cancel-task.ts';

/**
 * tasks/cancel: the row is cancelled before the answer; the worker that runs it is told, and notices from
 * the database should the message be lost.
 */
export async function cancelTask(
  context: CallContext,
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
