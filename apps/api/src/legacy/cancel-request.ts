import { type RequestId, type Session, sessionTopic } from '@longshore/core';
import type { ApiContext } from '../methods/api-context.ts';
import { announceCancellation } from '../tasks/cancel-task.ts';

/**
 * notifications/cancelled: ends the call that the request started, unless it became a task (only
 * tasks/cancel ends those), and lets go of the request on whatever replica holds it open.
 *
 * @see 2025-11-25 basic/utilities/cancellation
 */
export async function cancelRequest(
  context: ApiContext,
  session: Session,
  requestId: RequestId,
): Promise<void> {
  // First, so that nobody who holds it open finds the row cancelled and answers what was withdrawn.
  await context.bus.publish(sessionTopic(session.id), { kind: 'request-cancelled', requestId });
  const outcome = await context.tasks.cancelRequest(session.id, session.principalId, requestId);
  if (outcome.kind === 'cancelled') await announceCancellation(context, outcome);
}
