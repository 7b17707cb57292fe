import type { Outcome } from '@longshore/core';
import { NotJsonError, toJsonValue } from '../json/to-json-value.ts';
import { errorText } from './error-text.ts';

/** What a thrown error means for the task. */
export type Failure =
  /** It is the outcome, whatever the retry policy says. */
  | { readonly kind: 'final'; readonly outcome: Outcome }
  /** Another attempt may do better; `text` is the outcome when none is left. */
  | { readonly kind: 'retryable'; readonly text: string };

/** Errors that no other attempt would mend. */
const FINAL_ERRORS = ['ToolError', 'InputError'];

/**
 * Classifies what a plugin threw. Its errors are known by name, for a plugin may bring its own copy of the
 * package that makes them.
 *
 * @param failedOutcome the outcome of a failure with this text
 */
export function failureOf(thrown: unknown, failedOutcome: (text: string) => Outcome): Failure {
  if (thrown instanceof Error && FINAL_ERRORS.includes(thrown.name)) {
    return { kind: 'final', outcome: failedOutcome(errorText(thrown)) };
  }
  if (thrown instanceof Error && thrown.name === 'ProtocolError' && 'code' in thrown) {
    const { code } = thrown;
    if (Number.isInteger(code) && typeof code === 'number') {
      return { kind: 'final', outcome: protocolOutcome(code, thrown) };
    }
  }
  return { kind: 'retryable', text: errorText(thrown) };
}

function protocolOutcome(code: number, thrown: Error): Outcome {
  const message = errorText(thrown);
  const data = 'data' in thrown ? thrown.data : undefined;
  if (data === undefined) return { kind: 'error', error: { code, message } };
  try {
    return { kind: 'error', error: { code, message, data: toJsonValue(data) } };
  } catch (error) {
    // The error itself still says what the tool wanted to say; only its attachment is lost.
    if (error instanceof NotJsonError) return { kind: 'error', error: { code, message } };
    throw error;
  }
}

/** The text that stands for a failed outcome in a task's status message; null for a success. */
export function outcomeStatus(outcome: Outcome): string | null {
  if (outcome.kind === 'error') return outcome.error.message;
  if (!outcome.isError) return null;
  const { content } = outcome.result;
  if (!Array.isArray(content)) return null;
  for (const block of content) {
    if (typeof block !== 'object' || block === null || Array.isArray(block)) continue;
    if (typeof block['text'] === 'string') return block['text'];
  }
  return null;
}
