import { isObject, type JsonObject, show } from './json.ts';
import { WireError } from './wire-error.ts';

export type RequestId = string | number;

export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A request (method and id), a notification (method) or a response (result or error). */
export interface JsonRpcMessage {
  readonly id?: RequestId;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: JsonRpcError;
}

export function isRequest(message: JsonRpcMessage): boolean {
  return message.method !== undefined && message.id !== undefined;
}

export function isResponse(message: JsonRpcMessage): boolean {
  return message.method === undefined;
}

/** @throws {WireError} when the text is not exactly one JSON-RPC message */
export function parseMessage(text: string): JsonRpcMessage {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new WireError(`not JSON: ${text.slice(0, 200)}`);
  }
  const isMessage =
    isObject(value) &&
    value['jsonrpc'] === '2.0' &&
    (typeof value['method'] === 'string' || isObject(value['result']) || isError(value['error']));
  if (!isMessage) throw new WireError(`not a JSON-RPC message: ${show(value)}`);
  return value as JsonRpcMessage;
}

function isError(value: unknown): boolean {
  return isObject(value) && Number.isInteger(value['code']) && typeof value['message'] === 'string';
}
