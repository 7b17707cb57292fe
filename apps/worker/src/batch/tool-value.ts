import { type JsonValue, type Outcome, toolErrorOutcome } from '@longshore/core';
import { ItemFailure, ToolError } from '@longshore/plugin';
import { outcomeStatus } from '../requests/failure.ts';

/**
 * What a tool gave, for code: its structured content, its text when that is all, else its result whole.
 *
 * @throws {ToolError} with the text of an outcome that is an error
 */
export function toolValue(outcome: Outcome): JsonValue {
  if (outcome.kind === 'error' || outcome.isError) {
    throw new ToolError(outcomeStatus(outcome) ?? 'the tool failed without saying why');
  }
  const { structuredContent, content, ...rest } = outcome.result;
  if (structuredContent !== undefined) return structuredContent;
  const [block, ...others] = Array.isArray(content) ? content : [];
  const isText =
    others.length === 0 && typeof block === 'object' && block !== null && !Array.isArray(block);
  if (isText && block['type'] === 'text' && typeof block['text'] === 'string') return block['text'];
  return { ...rest, content: content ?? [] };
}

/** Like `toolValue`; arguments that do not fit the tool are told apart from a tool that failed. */
export function refusedItem(outcome: Outcome): ItemFailure {
  const text =
    outcomeStatus(outcome) ?? outcomeStatus(toolErrorOutcome('the arguments do not fit'));
  return new ItemFailure('INVALID_ARGUMENTS', text ?? '');
}
