import type { Acceptance, JsonObject, JsonValue, NewTask } from '@longshore/core';
import { createTaskResult } from '@longshore/protocol';
import { HeldRequest, type HoldOptions, type StartedRow } from './held-request.ts';
import type { ModernCall } from './modern-call.ts';
import type { ModernContext } from './modern-context.ts';

type Row = Omit<NewTask, 'enqueue'>;

/**
 * Answers a request without a handle, within what its principal may hold open: by a row of its own, by that of
 * an earlier round, or by that of the same call which was sent before.
 *
 * @param options.inputResponses answers to questions; those that no question has yet may find one
 * @returns the result; null when nobody waits for it any more, or the answer is another one (`call.answer`)
 * @throws {LongshoreError} TOO_MANY_STREAMS · what `TaskSubmitter.submit` and `HeldRequest.run` throw
 */
export async function holdRow(
  context: ModernContext,
  call: ModernCall,
  row: Row,
  options: HoldOptions & { readonly inputResponses: Readonly<Record<string, JsonValue>> },
): Promise<JsonObject | null> {
  const { openStreams } = context.limitsOf(call.access);
  const giveBack = context.held.take(call.identity.principalId, openStreams);
  try {
    const acceptance = await startNamed(context, call, row);
    if (acceptance?.kind === 'known' && acceptance.task.listed && options.becomesTask) {
      const { settings, server } = context;
      call.answer = createTaskResult(acceptance.task, settings.pollIntervalMs, server);
      return null;
    }
    const held = new HeldRequest({
      context,
      call,
      row,
      started: acceptance === null ? null : placeOf(row, acceptance),
      inputResponses: options.inputResponses,
    });
    return await held.run(options);
  } finally {
    giveBack();
  }
}

/** A call with an idempotency key may be an older row: which it is must be known before that can be heard. */
async function startNamed(
  context: ModernContext,
  call: ModernCall,
  row: Row,
): Promise<Acceptance | null> {
  if (row.idempotency === undefined || call.resumed !== null) return null;
  return context.submitter.submit(row, context.limitsOf(call.access));
}

function placeOf(row: Row, acceptance: Acceptance): StartedRow {
  if (acceptance.kind === 'created') return { taskId: row.id, sessionId: null };
  return { taskId: acceptance.task.id, sessionId: acceptance.task.sessionId };
}
