import type { Access, Session } from '@longshore/core';
import { CancelledParams, type InboundMessage } from '@longshore/protocol';
import { requireActing } from '../edge/auth/required-scopes.ts';
import type { ApiContext } from '../methods/api-context.ts';
import { cancelRequest } from './cancel-request.ts';
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
