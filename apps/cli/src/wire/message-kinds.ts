import type { RequestId } from '@longshore/core';
import { classifyEra, encodedHeaderValue, MODERN_VERSION, nameField } from '@longshore/protocol';
import { type CarriedId, carriedId, textAt } from './carried-id.ts';

/** A JSON-RPC message as far as carrying it needs. Whether it makes sense is for the engine to say. */
export interface CarriedMessage {
  /** As the engine gets it. */
  readonly body: unknown;
  readonly isRequest: boolean;
  /** Null: no request, or one with an id that no answer can name. */
  readonly id: CarriedId | null;
  readonly method: string | null;
  readonly params: Readonly<Record<string, unknown>>;
  readonly era: 'legacy' | 'modern';
}

/** @param line what `body` was parsed from; null: it is of our own making, and its id no number */
export function readMessage(body: unknown, line: string | null = null): CarriedMessage {
  const { id, method, params } = members(body);
  const isRequest = typeof method === 'string' && id !== undefined;
  const carried = isRequest ? carriedId(id, () => line && textAt(line, 'id')) : null;
  return {
    body: carried === null || carried.sent === id ? body : { ...members(body), id: carried.sent },
    isRequest,
    id: carried,
    method: typeof method === 'string' ? method : null,
    params: members(params),
    era: classifyEra(body, undefined),
  };
}

/** Whether `message` is the response to the request of this id. */
export function isAnswerTo(id: RequestId, message: unknown): boolean {
  const answer = members(message);
  return answer['id'] === id && answer['method'] === undefined;
}

/** What the HTTP of the modern era repeats in headers. */
export function modernHeaders({ method, params }: CarriedMessage): Record<string, string> {
  const field = method === null ? null : nameField(method);
  const name = field === null ? undefined : params[field];
  const { 'io.modelcontextprotocol/protocolVersion': version } = members(params['_meta']);
  return {
    'MCP-Protocol-Version': encodedHeaderValue(
      typeof version === 'string' ? version : MODERN_VERSION,
    ),
    ...(method === null ? {} : { 'Mcp-Method': encodedHeaderValue(method) }),
    ...(typeof name === 'string' ? { 'Mcp-Name': encodedHeaderValue(name) } : {}),
  };
}

/**
 * What the engine answers a request with, under its id: it names none where it refuses a request before it has
 * read it.
 */
export function asAnswerTo(id: RequestId, answer: unknown): unknown {
  const { id: named = null, error } = members(answer);
  return named === null && error !== undefined ? { ...members(answer), id } : answer;
}

/** Calls may do something each time; everything else reads, or says the same thing again. */
export function isRepeatable({ method, id }: CarriedMessage): boolean {
  return id === null || method !== 'tools/call';
}

export function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
