import {
  type JsonObject,
  type JsonValue,
  type Outcome,
  type OutcomeError,
  type OutcomeKind,
  toolErrorOutcome,
} from '@longshore/core';
import * as z from 'zod';
import { jsonObjectColumn } from './columns.ts';

const errorPayload = z.custom<OutcomeError>(
  (value) =>
    jsonObjectColumn.safeParse(value).success &&
    z.object({ code: z.number(), message: z.string() }).safeParse(value).success,
  'not a JSON-RPC error',
);

const textBlock = z.object({ type: z.literal('text'), text: z.string() });

/** The document that `task_results.payload` holds, as JSON text. */
export function outcomePayload(outcome: Outcome): string {
  return JSON.stringify(outcome.kind === 'error' ? outcome.error : outcome.result);
}

/** What is left of an outcome whose document was deleted before its task (RESULT_RETENTION_MS). */
const GONE = 'The result of this task is no longer kept.';

/**
 * The outcome back from its kind and its document.
 *
 * @param payload null: it has been deleted
 */
export function toOutcome(kind: OutcomeKind, payload: JsonValue): Outcome {
  if (payload === null) {
    return kind === 'error'
      ? { kind, error: { code: -32_603, message: GONE } }
      : toolErrorOutcome(GONE);
  }
  if (kind === 'error') return { kind, error: errorPayload.parse(payload) };
  const result: JsonObject = jsonObjectColumn.parse(payload);
  return { kind: 'result', isError: kind === 'tool_error', result };
}

/**
 * What `tasks.status_message` says about an outcome that no worker made: the first text of an error, as
 * clients drop the payload of failed tasks; nothing for a result.
 */
export function outcomeMessage(outcome: Outcome): string | null {
  if (outcome.kind === 'error') return outcome.error.message;
  if (!outcome.isError) return null;
  const content = outcome.result['content'];
  const first = Array.isArray(content) ? content[0] : undefined;
  const text = textBlock.safeParse(first);
  return text.success ? text.data.text : null;
}
