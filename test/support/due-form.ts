import { ERROR_CATALOGUE, type ErrorCode, LongshoreError } from '@longshore/core';
import { errorToWire } from '@longshore/protocol';

/** What came back for a request, whatever it was. */
export interface Answered {
  readonly status: number;
  readonly contentType: string;
  /** The whole body, or the beginning of an event stream. */
  readonly text: string;
}

/** By JSON-RPC code, which codes of ours docs/errors.md gives it, in either era. */
const DOCUMENTED = new Map<number, Set<string>>();
for (const code of Object.keys(ERROR_CATALOGUE) as ErrorCode[]) {
  for (const era of ['legacy', 'modern'] as const) {
    const wire = errorToWire(new LongshoreError(code, ''), era);
    DOCUMENTED.set(wire.code, (DOCUMENTED.get(wire.code) ?? new Set()).add(code));
  }
}

/** Errors that say that something of ours is broken or away, which no input may cause. */
const OURS = new Set([-32603, -32000]);

/**
 * Throws unless an answer of the MCP endpoint is one that bad input may get: no 5xx, and any JSON in it one
 * JSON-RPC answer whose error has a documented code.
 *
 * @param context what was sent, for the message
 * @param isElsewhere it is not from the MCP endpoint: then the status is all that counts
 */
export function expectDueForm(
  { status, contentType, text }: Answered,
  context: string,
  isElsewhere = false,
): void {
  const fail = (problem: string): never => {
    throw new Error(`${problem}: ${status} ${contentType} ${text.slice(0, 2_000)}\nfor ${context}`);
  };
  if (status >= 500 || status < 200) fail('not a status for input');
  if (isElsewhere) return;
  if (status === 202 && text !== '') fail('a 202 with a body');
  if (contentType.startsWith('text/event-stream')) {
    if (status !== 200) fail('an event stream that is not 200');
    return;
  }
  if (!contentType.startsWith('application/json')) {
    if (text !== '') fail('a body that is no JSON');
    return;
  }
  const message = JSON.parse(text);
  const isResult = typeof message?.result === 'object' && message.result !== null;
  const error = message?.error;
  const isError = Number.isInteger(error?.code) && typeof error?.message === 'string';
  if (message?.jsonrpc !== '2.0' || isResult === isError) fail('no JSON-RPC answer');
  if (!isError) return;
  if (OURS.has(error.code)) fail('called a defect of ours');
  const codes = DOCUMENTED.get(error.code);
  if (codes === undefined) fail('a JSON-RPC code that is not documented');
  const own = error.data?.code;
  if (own !== undefined && codes?.has(own) !== true) fail('a code that is not documented');
}
