import type { JsonObject } from '@longshore/core';

export const MODERN = '2026-07-28';

export const ENVELOPE: JsonObject = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A request body with an envelope; `meta` adds to it, null leaves `_meta` out. */
export function post(
  method: string,
  params: JsonObject = {},
  meta: JsonObject | null = {},
): JsonObject {
  const envelope: JsonObject = meta === null ? {} : { _meta: { ...ENVELOPE, ...meta } };
  return { jsonrpc: '2.0', id: 7, method, params: { ...params, ...envelope } };
}

export interface HeaderSet {
  [name: string]: string;
}

export function headersFor(method: string, name?: string): HeaderSet {
  return {
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  };
}

/** As the text of such a header is encoded when it can not go plain. */
export function sentinel(text: string): string {
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
