import type { ClientAbilities, SessionId } from '@longshore/core';
import type { ResumableDelivery } from '../edge/delivery.ts';
import { GuestQuestions } from './guest-questions.ts';
import type { WatchContext } from './watch-context.ts';
import type { WatchedTask, WatchOutcome } from './watch-hub.ts';

/**
 * Waits for a task whose messages belong to another request or session of its owner: the caller gets its
 * result, and of its questions those that no other stream has.
 *
 * @returns null when nobody waits for the answer any more
 */
export async function guestWait(
  context: WatchContext,
  task: WatchedTask,
  caller: { readonly sessionId: SessionId | null; readonly abilities: ClientAbilities },
  delivery: ResumableDelivery,
): Promise<WatchOutcome> {
  delivery.hold();
  const questions = new GuestQuestions(context, { delivery, task, abilities: caller.abilities });
  try {
    const ended = await context.watch.untilEnded(task, {
      delivery,
      callerSessionId: caller.sessionId,
      onEvent: () => {},
      onRow: (row) => questions.row(row),
    });
    if (ended !== null) await questions.finish();
    return ended;
  } finally {
    await questions.close();
  }
}
