import type { JsonObject, NewTask, PrincipalLimits, Task } from '@longshore/core';
import { giveHandle } from '../jobs/give-handle.ts';
import { LimitedDelivery } from '../jobs/limited-delivery.ts';
import type { WatchOutcome } from '../tasks/task-watch.ts';
import type { ApiContext } from './api-context.ts';
import type { ResumableDelivery } from './delivery.ts';
import { guestWait } from './guest-wait.ts';
import { resultOf } from './outcome-error.ts';
import { streamWait } from './stream-wait.ts';

type Row = Omit<NewTask, 'enqueue'>;

export interface HoldCallOptions {
  readonly limits: PrincipalLimits;
  /** The client gives up on long calls: one that is not done in time is answered with the handle of a job. */
  readonly becomesJob: boolean;
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
  context: ApiContext,
  task: Row,
  delivery: ResumableDelivery,
  { limits, becomesJob }: HoldCallOptions,
): Promise<JsonObject | null> {
  const submit = () => context.submitter.submit(task, limits);
  // Which row it is must be known before its messages can be heard.
  const acceptance = task.idempotency === undefined ? null : await submit();
  const id = acceptance?.kind === 'known' ? acceptance.task.id : task.id;
  const limited = becomesJob ? new LimitedDelivery(delivery, context.settings.inlineWaitMs) : null;
  const way = limited ?? delivery;
  try {
    const ended =
      acceptance?.kind === 'known'
        ? await joinCall(context, acceptance.task, task, way)
        : await waitForOwn(context, task, way, acceptance === null ? submit : undefined);
    if (ended !== null) return resultOf(id, ended.outcome);
    return limited?.isOver === true ? await giveHandle(context, id, task.principalId) : null;
  } finally {
    limited?.release();
  }
}

/** @param submit left out: the row is there already */
function waitForOwn(
  context: ApiContext,
  { id, principalId: owner, sessionId, abilities }: Row,
  delivery: ResumableDelivery,
  submit: (() => Promise<unknown>) | undefined,
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
      ...(submit === undefined ? {} : { submit }),
    },
  );
}

/** The row is another request's: that one has its messages, and may cancel it. */
function joinCall(
  context: ApiContext,
  known: Task,
  { principalId: owner, sessionId, abilities }: Row,
  delivery: ResumableDelivery,
): Promise<WatchOutcome> {
  const watched = { id: known.id, owner, sessionId: known.sessionId };
  return guestWait(context, watched, { sessionId, abilities }, delivery);
}
