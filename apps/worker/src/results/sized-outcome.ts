import { type JsonObject, type Outcome, toolErrorOutcome } from '@longshore/core';
import { preview } from './preview.ts';

export interface ResultLimits {
  /** Largest result that clients are sent whole, as JSON in UTF-8. */
  readonly inlineBytes: number;
  /** Largest result there may be, likewise. */
  readonly maxBytes: number;
}

/** An outcome as it is stored. */
export interface SizedOutcome {
  readonly outcome: Outcome;
  /** What clients are sent instead; absent: the outcome. */
  readonly preview?: JsonObject;
}

/** Puts the size of a tool's result into bounds. */
export function sizedOutcome(
  outcome: Outcome,
  options: ResultLimits & { readonly taskId: string; readonly promisesStructure: boolean },
): SizedOutcome {
  if (outcome.kind === 'error') return { outcome };
  const bytes = Buffer.byteLength(JSON.stringify(outcome.result));
  if (bytes > options.maxBytes) {
    return {
      outcome: toolErrorOutcome(
        `The result has ${bytes} bytes, and ${options.maxBytes} is the limit: the tool should write a file instead.`,
      ),
    };
  }
  if (bytes <= options.inlineBytes) return { outcome };
  return { outcome, preview: preview(outcome.result, { ...options, bytes }) };
}
