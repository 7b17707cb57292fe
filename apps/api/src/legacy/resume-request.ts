import { type JsonObject, LongshoreError, type Session, type Task } from '@longshore/core';
import { type TaskStreamPlace, withRelatedTask } from '@longshore/protocol';
import { resultOf } from '../calls/outcome-error.ts';
import type { ResumableDelivery } from '../edge/delivery.ts';
import type { ApiContext } from '../methods/api-context.ts';
import { streamWait } from '../watch/stream-wait.ts';
import { legacyAbilities } from './legacy-abilities.ts';

/**
 * The task whose stream a client wants to go on with: one of its own, of this session.
 * @throws {LongshoreError} INVALID_EVENT_ID, the same for unknown, expired and foreign tasks
 */
export async function findResumable(
  context: ApiContext,
  session: Session,
  place: TaskStreamPlace,
): Promise<Task> {
  const found = await context.tasks.findWithOutcome(place.taskId, session.principalId);
  if (found !== null && found.task.sessionId === session.id) {
    const { listed, requestId } = found.task;
    const isHeldCall = !listed && requestId === place.requestId;
    if (place.kind === 'call' ? isHeldCall : listed) return found.task;
  }
  throw new LongshoreError(
    'INVALID_EVENT_ID',
    'The stream of this Last-Event-ID is gone, or is none of this session',
  );
}

/**
 * Goes on with the stream of a held call or of tasks/result where the client has left it, on whatever
 * replica, and answers the request that had opened it.
 *
 * @returns null when nobody waits for the answer any more
 * @see 2025-11-25 basic/transports, "Resumability and Redelivery"
 */
export async function resumeRequest(
  context: ApiContext,
  session: Session,
  place: TaskStreamPlace,
  task: Task,
  delivery: ResumableDelivery,
): Promise<JsonObject | null> {
  const ended = await streamWait(
    context,
    { id: task.id, owner: session.principalId, sessionId: task.sessionId },
    {
      delivery,
      kind: place.kind,
      callerSessionId: session.id,
      abilities: legacyAbilities(session),
      resumed: place,
    },
  );
  if (ended === null) return null;
  const result = resultOf(task.id, ended.outcome);
  return place.kind === 'result' ? withRelatedTask(result, task.id) : result;
}
