import { type JsonObject, LongshoreError, type RequestId } from '@longshore/core';
import * as z from 'zod';
import { isObject } from './json-object.ts';

/** JSON-RPC 2.0 ids as MCP narrows them: string or integer, never null. */
export const RequestIdSchema = z.union([z.string(), z.int()]);

export interface JsonRpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly method: string;
  readonly params?: Record<string, unknown> | undefined;
}

export interface JsonRpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: Record<string, unknown> | undefined;
}

export interface JsonRpcResponse {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export type InboundMessage =
  | { readonly kind: 'request'; readonly message: JsonRpcRequest }
  | { readonly kind: 'notification'; readonly message: JsonRpcNotification }
  | { readonly kind: 'response'; readonly id: RequestId; readonly reply: Reply };

/** What a client answered to a request of ours. */
export type Reply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };

/** What a server sends before its answer. */
export type ServerMessage = JsonRpcNotification | JsonRpcRequest;

/**
 * Sorts a parsed POST body into request, notification or response.
 *
 * @throws {LongshoreError} INVALID_REQUEST for arrays (batches left MCP with 2025-06-18), null ids and
 * anything that is not a JSON-RPC 2.0 message
 * @see 2025-11-25 basic/index, basic/transports
 */
export function parseInbound(body: unknown): InboundMessage {
  if (Array.isArray(body)) {
    throw new LongshoreError(
      'INVALID_REQUEST',
      'Send one JSON-RPC message per POST: batches are not part of MCP',
    );
  }
  if (typeof body !== 'object' || body === null) {
    throw new LongshoreError('INVALID_REQUEST', 'The body must be a JSON-RPC 2.0 object');
  }
  // Checked by hand: this is the one schema that every single message passes.
  const { jsonrpc, id, method, params, result, error }: Record<string, unknown> = { ...body };
  if (jsonrpc === '2.0') {
    if (typeof method === 'string' && (params === undefined || isObject(params))) {
      const known = params === undefined ? {} : { params };
      if (id === undefined) return { kind: 'notification', message: { jsonrpc, method, ...known } };
      if (isRequestId(id)) return { kind: 'request', message: { jsonrpc, id, method, ...known } };
    }
    if (method === undefined && isRequestId(id)) {
      if (isObject(error)) return { kind: 'response', id, reply: { error: readError(error) } };
      if (result !== undefined) return { kind: 'response', id, reply: { result } };
    }
  }
  throw new LongshoreError(
    'INVALID_REQUEST',
    'The body is not a JSON-RPC 2.0 message: it needs jsonrpc "2.0", a method, and for a request an id that is a string or an integer',
  );
}

/** The id of a body that may be malformed, so that an error can name it; null when it has none. */
export function readableId(body: unknown): RequestId | null {
  const id = z.object({ id: RequestIdSchema }).safeParse(body);
  return id.success ? id.data.id : null;
}

export function notification(method: string, params: JsonObject): JsonRpcNotification {
  return { jsonrpc: '2.0', method, params };
}

/** Lenient: whatever else it says, it says that there is no result. */
function readError({ code, message }: Record<string, unknown>): { code: number; message: string } {
  return {
    code: Number.isSafeInteger(code) ? Number(code) : -32603,
    message: typeof message === 'string' ? message : 'The client answered with an error',
  };
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}
