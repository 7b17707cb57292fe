import type { JsonObject, RequestMethod, RequestPolicy } from '@longshore/core';
import type { CallContext } from './call-context.ts';
import { type CallRow, rowOf } from './call-row.ts';
import type { Caller } from './caller.ts';
import { holdCall } from './hold-call.ts';

/** How long the row of an answered request stays, for a client that lost the connection. */
const KEEP_MS = 60_000;
/** How much longer when the client can be asked: questions wait ten minutes unless their author says otherwise. */
const QUESTIONS_MS = 900_000;

/** A request that workers run and nobody gets a handle of. */
export interface ShortRequest {
  readonly method: Exclude<RequestMethod, 'tools/call'>;
  /** Name of the prompt; address (URI or template) of the resource. */
  readonly target: string;
  readonly params: JsonObject;
  readonly policy: RequestPolicy;
}

/**
 * Runs a request as a row of its own, once, and waits for its outcome.
 *
 * @returns the result of the method; null when nobody waits for it any more
 * @throws {StoredOutcomeError} when the outcome is a JSON-RPC error
 */
export async function shortRequest(
  context: CallContext,
  caller: Caller,
  request: ShortRequest,
): Promise<JsonObject | null> {
  const { policy } = request;
  const row: CallRow = {
    requestMethod: request.method,
    listed: false,
    toolName: request.target,
    toolFingerprint: null,
    arguments: request.params,
    queue: policy.queue,
    maxAttempts: 1,
    timeoutMs: policy.timeoutMs,
    deadlineMs: null,
    ttlMs: policy.timeoutMs + KEEP_MS + (canBeAsked(caller) ? QUESTIONS_MS : 0),
    outcome: null,
    ...rowOf(caller),
  };
  const held = await holdCall(context, caller, row, { becomesTask: false, mayBecomeJob: false });
  return 'task' in held ? null : held.result;
}

function canBeAsked({ abilities }: Caller): boolean {
  const { elicitation, sampling, roots } = abilities;
  return elicitation.form || elicitation.url || sampling || roots;
}
