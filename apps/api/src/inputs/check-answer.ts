import type { InputAnswer, InputQuestion, JsonObject } from '@longshore/core';
import { parseInputResult } from '@longshore/protocol';
import type { FormChecker } from './form-content.ts';

/**
 * What a client's answer to a question is worth. What is stored as a result fits the question: a tool need
 * not look for anything that could not be there.
 *
 * @param raw the result as it came, of an ElicitResult, CreateMessageResult or ListRootsResult
 */
export function checkAnswer(
  forms: FormChecker,
  question: InputQuestion,
  raw: unknown,
): InputAnswer {
  const parsed = parseInputResult(question.method, raw);
  if (!parsed.ok) return { kind: 'invalid', problem: parsed.problem };
  const { value } = parsed;
  if (value.method !== 'elicitation/create') return { kind: 'result', result: value.result };
  const { action } = value;
  const form = question.params['requestedSchema'];
  // A declined form has no content, and neither has a page the user was sent to (mode url).
  if (action !== 'accept' || !isObject(form)) return { kind: 'result', result: { action } };
  const checked = forms.check(form, value.content);
  return checked.ok
    ? { kind: 'result', result: { action, content: checked.content } }
    : { kind: 'invalid', problem: checked.problem };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
