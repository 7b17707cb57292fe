import { type JsonValue, NO_ABILITIES } from '@longshore/core';
import type { Caller } from '../calls/caller.ts';
import { holdRow } from './hold-row.ts';
import type { ModernCall } from './modern-call.ts';
import type { ModernContext } from './modern-context.ts';

/**
 * The client of one modern request, as the methods of both eras know it.
 *
 * @param inputResponses answers of the client; null where a method may not be answered with questions
 *   (2026-07-28 basic/patterns/mrtr): then nothing is asked
 */
export function modernCaller(
  context: ModernContext,
  call: ModernCall,
  inputResponses: Readonly<Record<string, JsonValue>> | null,
): Caller {
  const { envelope, identity, delivery } = call;
  return {
    ...identity,
    era: 'modern',
    sessionId: null,
    requestId: delivery.requestId,
    progressToken: envelope.progressToken,
    abilities: inputResponses === null ? NO_ABILITIES : envelope.clientCapabilities,
    logLevel: envelope.logLevel,
    holdRow: (row) =>
      holdRow(context, call, row, {
        becomesTask: false,
        mayBecomeJob: false,
        inputResponses: inputResponses ?? {},
      }),
  };
}
