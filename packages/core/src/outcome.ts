import type { JsonObject, JsonValue } from './json.ts';

/** A JSON-RPC error as a tool's request produced it. */
export interface OutcomeError {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonValue;
}

/**
 * What the request produced, stored raw. `result` is a CallToolResult (maybe `isError`), `error` a
 * JSON-RPC error. The wire status is derived from it per era, because 2025-11-25 calls an `isError`
 * result failed and 2026-07-28 calls it completed.
 */
export type Outcome =
  | { readonly kind: 'result'; readonly isError: boolean; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: OutcomeError };

/** The part of an outcome that decides the status, without its payload. */
export type OutcomeKind = 'result' | 'tool_error' | 'error';

export function outcomeKind(outcome: Outcome): OutcomeKind {
  if (outcome.kind === 'error') return 'error';
  return outcome.isError ? 'tool_error' : 'result';
}

/** An `isError` result with one text block: how a thrown error reaches the model. */
export function toolErrorOutcome(text: string): Outcome {
  return {
    kind: 'result',
    isError: true,
    result: { content: [{ type: 'text', text }], isError: true },
  };
}

/** The outcome of a task that passed its execution deadline, whoever notices first. */
export const DEADLINE_ERROR: OutcomeError = {
  code: -32_603,
  message: 'task exceeded its execution deadline',
  data: { code: 'TASK_DEADLINE' },
};
