import {
  type ClientAbilities,
  isTerminal,
  type JsonObject,
  type NewTask,
  type PrincipalLimits,
  type Task,
} from '@longshore/core';
import { canAnswer } from '@longshore/protocol';
import type { ResumableDelivery } from '../edge/delivery.ts';
import { guestWait } from '../watch/guest-wait.ts';
import { streamWait } from '../watch/stream-wait.ts';
import type { WatchOutcome } from '../watch/watch-hub.ts';
import type { CallContext } from './call-context.ts';
import { giveHandle } from './give-handle.ts';
import { LimitedDelivery } from './limited-delivery.ts';
import { resultOf } from './outcome-error.ts';

type Row = Omit<NewTask, 'enqueue'>;

export interface HoldCallOptions {
  readonly limits: PrincipalLimits;
  /** What the client itself can be asked. */
  readonly abilities: ClientAbilities;
  /**
   * The call is answered with the handle of a job when the client can not be asked what the tool asks, and when
   * it is not done in time while the client sees no progress.
   */
  readonly mayBecomeJob: boolean;
}

/**
 * Commits a row without a handle and holds the legacy request open until it has ended; its progress, logs
 * and questions go the same way as the answer. A call that was sent before waits for the row of then.
 *
 * @returns null when nobody waits for the answer any more
 * @throws {StoredOutcomeError} when the outcome is a JSON-RPC error
 * @throws {LongshoreError} what `TaskSubmitter.submit` throws · TASK_CANCELLED
 */
export async function holdCall(
  context: CallContext,
  task: Row,
  delivery: ResumableDelivery,
  { limits, abilities, mayBecomeJob }: HoldCallOptions,
): Promise<JsonObject | null> {
  const submit = () => context.submitter.submit(task, limits);
  // Which row it is must be known before its messages can be heard.
  const acceptance = task.idempotency === undefined ? null : await submit();
  const id = acceptance?.kind === 'known' ? acceptance.task.id : task.id;
  // A client that shows progress sees that the call is alive; any other gives up on it some time.
  const limited =
    mayBecomeJob && task.progressToken === null
      ? new LimitedDelivery(delivery, context.settings.inlineWaitMs)
      : null;
  const way = limited ?? delivery;
  let asksInVain = false;
  const isOver = async ({ id: taskId, state }: Task): Promise<boolean> => {
    if (!mayBecomeJob || state !== 'input_required') return false;
    const pending = await context.inputs.pending(taskId, task.principalId);
    asksInVain = pending.some((question) => !canAnswer(abilities, question));
    return asksInVain;
  };
  try {
    const ended =
      acceptance?.kind === 'known'
        ? await joinCall(context, acceptance.task, { ...task, abilities }, way)
        : await waitForOwn(context, { ...task, abilities }, way, {
            isOver,
            submit: acceptance === null ? submit : undefined,
          });
    if (ended !== null && isTerminal(ended.task)) return resultOf(id, ended.outcome);
    return asksInVain || limited?.isOver === true
      ? await giveHandle(context, id, task.principalId)
      : null;
  } finally {
    limited?.release();
  }
}

/** @param options.submit left out: the row is there already */
function waitForOwn(
  context: CallContext,
  { id, principalId: owner, sessionId, abilities }: Row,
  delivery: ResumableDelivery,
  {
    isOver,
    submit,
  }: {
    isOver: (task: Task) => Promise<boolean>;
    submit: (() => Promise<unknown>) | undefined;
  },
): Promise<WatchOutcome> {
  return streamWait(
    context,
    { id, owner, sessionId },
    {
      delivery,
      kind: 'call',
      callerSessionId: sessionId,
      abilities,
      resumed: null,
      isOver,
      ...(submit === undefined ? {} : { submit }),
    },
  );
}

/** The row is another request's: that one has its messages, and may cancel it. */
function joinCall(
  context: CallContext,
  known: Task,
  { principalId: owner, sessionId, abilities }: Row,
  delivery: ResumableDelivery,
): Promise<WatchOutcome> {
  const watched = { id: known.id, owner, sessionId: known.sessionId };
  return guestWait(context, watched, { sessionId, abilities }, delivery);
}
