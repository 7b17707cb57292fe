import { type EventCursor, isTerminal, type Task } from '@longshore/core';
import { canAnswer } from '@longshore/protocol';
import type { Caller, HeldRow, WaitEnd } from '../calls/caller.ts';
import type { ResumableDelivery } from '../edge/delivery.ts';
import type { ApiContext } from '../methods/api-context.ts';
import { guestWait } from '../watch/guest-wait.ts';
import { streamWait } from '../watch/stream-wait.ts';
import { LimitedDelivery } from './limited-delivery.ts';

/**
 * Waits for the row of a held request; its progress, logs and questions go the same way as the answer. A row of an
 * earlier call is another request's: that one has its messages, and may cancel it.
 */
export async function waitForCall(
  context: ApiContext,
  {
    principalId: owner,
    sessionId,
    abilities,
  }: Pick<Caller, 'principalId' | 'sessionId' | 'abilities'>,
  delivery: ResumableDelivery,
  row: HeldRow,
): Promise<WaitEnd> {
  const limited = row.limitMs === null ? null : new LimitedDelivery(delivery, row.limitMs);
  const way = limited ?? delivery;
  const watched = { id: row.id, owner, sessionId: row.sessionId };
  let asksInVain = false;
  let asked = (): readonly EventCursor[] => [];
  const isOver = async ({ state }: Task): Promise<boolean> => {
    if (!row.mayBecomeJob || state !== 'input_required') return false;
    const pending = await context.inputs.pending(row.id, owner);
    asksInVain = pending.some((question) => !canAnswer(abilities, question));
    return asksInVain;
  };
  try {
    const ended = row.isKnown
      ? await guestWait(context, watched, { sessionId, abilities }, way)
      : await streamWait(context, watched, {
          delivery: way,
          kind: 'call',
          callerSessionId: sessionId,
          abilities,
          resumed: null,
          isOver,
          onStream: (stream) => {
            asked = () => stream.asked;
          },
          ...(row.submit === null ? {} : { submit: row.submit }),
        });
    if (ended !== null && isTerminal(ended.task)) return { kind: 'ended', outcome: ended.outcome };
    if (!asksInVain && limited?.isOver !== true) return { kind: 'none' };
    return { kind: 'handle', asked: asked() };
  } finally {
    limited?.release();
  }
}
