import { type Access, type RequestId, type Session, sessionTopic } from '@longshore/core';
import { CancelledParams, type InboundMessage } from '@longshore/protocol';
import { requireActing } from '../edge/auth/required-scopes.ts';
import type { ApiContext } from '../methods/api-context.ts';
import { announceCancellation } from '../tasks/cancel-task.ts';
import { takeResponse } from './posted-response.ts';

/**
 * Takes what a client sends that has no answer: a withdrawal, or its response to a request of this server.
 * @throws {LongshoreError} INSUFFICIENT_SCOPE
 */
export async function takeMessage(
  context: ApiContext,
  session: Session,
  access: Access,
  inbound: Exclude<InboundMessage, { kind: 'request' }>,
): Promise<void> {
  if (inbound.kind === 'response') {
    requireActing(access);
    await takeResponse(context, session, inbound.id, inbound.reply);
    return;
  }
  const { method, params } = inbound.message;
  if (method !== 'notifications/cancelled') return;
  requireActing(access);
  // A malformed withdrawal is ignored, as the specification asks.
  const parsed = CancelledParams.safeParse(params);
  if (parsed.success) await cancelRequest(context, session, parsed.data.requestId);
}

/**
 * notifications/cancelled: ends the call that the request started, unless it became a task (only
 * tasks/cancel ends those), and lets go of the request on whatever replica holds it open.
 *
 * @see 2025-11-25 basic/utilities/cancellation
 */
async function cancelRequest(
  context: ApiContext,
  session: Session,
  requestId: RequestId,
): Promise<void> {
  // First, so that nobody who holds it open finds the row cancelled and answers what was withdrawn.
  await context.bus.publish(sessionTopic(session.id), { kind: 'request-cancelled', requestId });
  const outcome = await context.tasks.cancelRequest(session.id, session.principalId, requestId);
  if (outcome.kind === 'cancelled') await announceCancellation(context, outcome);
}
