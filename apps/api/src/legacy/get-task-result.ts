import { isTerminal, type JsonObject, type Session, type Task } from '@longshore/core';
import { withRelatedTask } from '@longshore/protocol';
import { resultOf } from '../calls/outcome-error.ts';
import type { ResumableDelivery } from '../edge/delivery.ts';
import type { ApiContext } from '../methods/api-context.ts';
import { requireTaskWithOutcome } from '../tasks/owned-tasks.ts';
import { guestWait } from '../watch/guest-wait.ts';
import { streamWait } from '../watch/stream-wait.ts';
import type { WatchOutcome } from '../watch/watch-hub.ts';
import { legacyAbilities } from './legacy-abilities.ts';

/**
 * tasks/result: what the underlying request would have returned. Waits for a task that has not ended,
 * and meanwhile carries its progress, status, logs and questions.
 *
 * @returns null when nobody waits for the answer any more
 * @see 2025-11-25 basic/utilities/tasks, "Retrieving Task Results"
 */
export async function getTaskResult(
  context: ApiContext,
  session: Session,
  params: { taskId: string },
  delivery: ResumableDelivery,
): Promise<JsonObject | null> {
  const found = await requireTaskWithOutcome(context, session.principalId, params.taskId);
  const { id } = found.task;
  const ended = isTerminal(found.task) ? found : await wait(context, session, found.task, delivery);
  return ended === null ? null : withRelatedTask(resultOf(id, ended.outcome), id);
}

async function wait(
  context: ApiContext,
  session: Session,
  task: Task,
  delivery: ResumableDelivery,
): Promise<WatchOutcome> {
  const watched = { id: task.id, owner: session.principalId, sessionId: task.sessionId };
  const abilities = legacyAbilities(session);
  if (task.sessionId !== session.id) {
    return guestWait(context, watched, { sessionId: session.id, abilities }, delivery);
  }
  return streamWait(context, watched, {
    delivery,
    kind: 'result',
    callerSessionId: session.id,
    abilities,
    resumed: null,
    onStream: (stream) => stream.assume(task),
  });
}
