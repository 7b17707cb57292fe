import type { RequestId } from '@longshore/core';
import { classifyEra, encodedHeaderValue, MODERN_VERSION, nameField } from '@longshore/protocol';

/** A JSON-RPC message as far as carrying it needs. Whether it makes sense is for the engine to say. */
export interface CarriedMessage {
  readonly body: unknown;
  /** Null: no request. */
  readonly id: RequestId | null;
  readonly method: string | null;
  readonly params: Readonly<Record<string, unknown>>;
  readonly era: 'legacy' | 'modern';
}

export function readMessage(body: unknown): CarriedMessage {
  const { id, method, params } = members(body);
  const isRequest =
    typeof method === 'string' && (typeof id === 'string' || typeof id === 'number');
  return {
    body,
    id: isRequest ? id : null,
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

/** Calls may do something each time; everything else reads, or says the same thing again. */
export function isRepeatable({ method, id }: CarriedMessage): boolean {
  return id === null || method !== 'tools/call';
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
