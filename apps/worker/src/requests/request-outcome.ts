import type { JsonValue, Outcome } from '@longshore/core';
import { toJsonObject } from '../json/to-json-value.ts';
import { errorText } from './error-text.ts';

const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

/** Requests but tools/call have no results for failures: their failures are JSON-RPC errors. */
export function requestErrorOutcome(text: string): Outcome {
  return { kind: 'error', error: { code: INTERNAL_ERROR, message: text } };
}

export function invalidParamsOutcome(message: string, data?: JsonValue): Outcome {
  return {
    kind: 'error',
    error: { code: INVALID_PARAMS, message, ...(data === undefined ? {} : { data }) },
  };
}

/** No such resource; whoever serves the era picks its code by `data.code`. */
export function resourceNotFoundOutcome(uri: string): Outcome {
  return invalidParamsOutcome(`Resource not found: ${uri}`, { code: 'RESOURCE_NOT_FOUND', uri });
}

/** The result of a method, as JSON. */
export function requestOutcome(result: unknown): Outcome {
  try {
    return { kind: 'result', isError: false, result: toJsonObject(result) };
  } catch (error) {
    return requestErrorOutcome(`The result is not usable: ${errorText(error)}`);
  }
}

/** No such request is run twice, so there is nothing to wait between. */
export const NO_BACKOFF = { baseMs: 0, factor: 1, maxMs: 0 };
