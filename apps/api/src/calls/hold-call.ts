import {
  type EventCursor,
  isTerminal,
  type JsonObject,
  type Task,
  type TaskId,
  taskTopic,
} from '@longshore/core';
import { jobHandle } from '../tasks/job-text.ts';
import { taskNotFound } from '../tasks/owned-tasks.ts';
import type { CallContext } from './call-context.ts';
import type { CallRow } from './call-row.ts';
import type { Caller } from './caller.ts';
import { resultOf } from './outcome-error.ts';

/** A tool that asks first and has not asked within this time becomes a task all the same. */
const ASK_WITHIN_MS = 10_000;

/** A client that shows the job card has nothing to show before it knows the job. */
const SHOWN_WITHIN_MS = 1_500;

/** @returns `result`: null when nobody waits for it any more, or it is one of another kind */
export type HeldAnswer = { readonly result: JsonObject | null } | { readonly task: Task };

/**
 * Commits a row without a handle and holds the request open until it has ended, or until it becomes a task or a job. A
 * call that was sent before waits for the row of then.
 *
 * @param wish.becomesTask the client gets the handle of a task once the first questions are answered
 * @param wish.mayBecomeJob it gets that of a job when it can not be asked what the tool asks, and when it is kept waiting
 *   without seeing any progress, or soon if it shows jobs
 * @param wish.showsResult a card of the tool's own is shown, which waits for the result
 * @throws {StoredOutcomeError} when the outcome is a JSON-RPC error
 * @throws {LongshoreError} TOO_MANY_STREAMS · TASK_CANCELLED · what `TaskSubmitter.submit` and `Caller.wait` throw
 */
export async function holdCall(
  context: CallContext,
  caller: Caller,
  row: CallRow,
  wish: {
    readonly becomesTask: boolean;
    readonly mayBecomeJob: boolean;
    readonly showsResult?: boolean;
  },
): Promise<HeldAnswer> {
  const giveBack = caller.takeHeld();
  try {
    const submit = () => context.submitter.submit(row, context.limitsOf(caller.access));
    const isKeyed = row.idempotency !== undefined;
    // Which row it is must be known before its messages can be heard.
    const started = isKeyed && caller.resumed === null ? await submit() : null;
    const known = started?.kind === 'known' ? started.task : null;
    if (known?.listed === true && wish.becomesTask) return { task: known };
    const id = caller.resumed ?? known?.id ?? row.id;
    const end = await caller.wait({
      id,
      sessionId: known === null ? row.sessionId : known.sessionId,
      submit: started === null && caller.resumed === null ? submit : null,
      isKnown: known !== null,
      isKeyed,
      limitMs: wish.becomesTask ? ASK_WITHIN_MS : inlineLimitMs(context, caller, wish),
      ...wish,
    });
    const by = known === null ? 'maker' : 'other';
    switch (end.kind) {
      case 'none':
        return { result: null };
      case 'ended':
        return { result: resultOf(id, end.outcome) };
      case 'handle':
        if (!wish.becomesTask)
          return { result: await giveHandle(context, id, caller, { ...end, by }) };
    }
    const { tasks } = context;
    // An earlier round may have made a task of it, and its answer may not have arrived.
    const task =
      (await tasks.promote(id, caller.principalId, by)) ??
      (await tasks.find(id, caller.principalId));
    if (task === null) throw taskNotFound();
    return { task };
  } finally {
    giveBack();
  }
}

/** @returns how long a client is kept waiting before it gets a job; null: as long as it takes */
function inlineLimitMs(
  { settings }: Pick<CallContext, 'settings'>,
  { abilities, progressToken }: Caller,
  wish: { readonly mayBecomeJob: boolean; readonly showsResult?: boolean },
): number | null {
  if (!wish.mayBecomeJob) return null;
  if (abilities.ui && wish.showsResult !== true)
    return Math.min(SHOWN_WITHIN_MS, settings.inlineWaitMs);
  // A client that shows progress sees that the call is alive; any other gives up on it some time.
  return progressToken === null ? settings.inlineWaitMs : null;
}

/**
 * Answers a held call whose client waits no longer with the handle of a job, unless it has just ended.
 *
 * @throws {StoredOutcomeError} when it has ended in a JSON-RPC error
 * @throws {LongshoreError} TASK_NOT_FOUND · TASK_CANCELLED
 */
async function giveHandle(
  context: CallContext,
  id: TaskId,
  { principalId: owner }: Caller,
  { by, asked }: { readonly by: 'maker' | 'other'; readonly asked: readonly EventCursor[] },
): Promise<JsonObject> {
  const promoted = await context.tasks.promote(id, owner, by);
  const found = await context.tasks.findWithOutcome(id, owner);
  if (found === null) throw taskNotFound();
  if (isTerminal(found.task)) return resultOf(id, found.outcome);
  if (promoted !== null) {
    // Its messages and questions go with the session from here on.
    await context.bus.publish(taskTopic(found.task), { kind: 'changed', taskId: id, asked });
  }
  return jobHandle(found.task);
}
