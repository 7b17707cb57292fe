import { LongshoreError, type RequestId } from '@longshore/core';
import { type JsonRpcNotification, parseInbound } from '../shared/json-rpc.ts';
import { MODERN_VERSION, SUPPORTED_VERSIONS } from '../shared/versions.ts';
import { type Envelope, fullEnvelope, requiredEnvelope } from './envelope.ts';
import {
  decodedHeaderValue,
  headerMismatch,
  headerValue,
  type RequestHeaders,
} from './header-values.ts';
import { isModernMethod, type ModernMethod, nameField } from './methods.ts';

export interface ModernRequest {
  readonly id: RequestId;
  readonly method: ModernMethod;
  /** With `_meta`; checked per method by `parseModernParams`. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly envelope: Envelope;
}

/** Whether a request of a task without the header Mcp-Name is served, for clients that leave it out there. */
export type TaskNameHeader = 'optional' | 'required';

export type ModernInbound =
  | { readonly kind: 'request'; readonly request: ModernRequest }
  /** To be answered with 202 and no body, whatever it is: this revision defines none over HTTP. */
  | { readonly kind: 'notification'; readonly message: JsonRpcNotification };

/**
 * A POST of the modern era, checked against its headers in the order that clients and the official suite
 * rely on: JSON-RPC, envelope, MCP-Protocol-Version, revision, Mcp-Method, Mcp-Name, the envelope's optional
 * members, method. What needs the tool (`checkParamHeaders`) or the params comes later.
 *
 * @param body parsed JSON
 * @throws {LongshoreError} INVALID_REQUEST for anything but one request or notification (clients send no
 * responses in this revision), MISSING_ENVELOPE, HEADER_MISMATCH, UNSUPPORTED_VERSION, UNKNOWN_METHOD
 * @see 2026-07-28 basic/transports/streamable-http, "Server Validation"
 */
export function parseModernRequest(
  headers: RequestHeaders,
  body: unknown,
  taskNameHeader: TaskNameHeader,
): ModernInbound {
  const inbound = parseInbound(body);
  if (inbound.kind === 'notification') return inbound;
  if (inbound.kind === 'response') {
    throw new LongshoreError('INVALID_REQUEST', 'This revision has no requests to clients');
  }
  const { id, method, params = {} } = inbound.message;
  const required = requiredEnvelope(params);
  checkVersion(headers, required.protocolVersion);
  checkMethod(headers, method);
  checkName(headers, method, params, taskNameHeader);
  const envelope = fullEnvelope(required);
  if (!isModernMethod(method)) {
    throw new LongshoreError('UNKNOWN_METHOD', `Method not found: ${method}`);
  }
  return { kind: 'request', request: { id, method, params, envelope } };
}

/** The header is compared first: a request that contradicts itself names no version. */
function checkVersion(headers: RequestHeaders, requested: string): void {
  requireEqual('MCP-Protocol-Version', headerValue(headers, 'MCP-Protocol-Version'), requested);
  if (requested !== MODERN_VERSION) {
    throw new LongshoreError('UNSUPPORTED_VERSION', 'Unsupported protocol version', {
      details: { supported: SUPPORTED_VERSIONS, requested },
    });
  }
}

function checkMethod(headers: RequestHeaders, method: string): void {
  requireEqual('Mcp-Method', headerValue(headers, 'Mcp-Method'), method);
}

/** Without a string in the body there is nothing to mirror; the params' schema refuses that later. */
function checkName(
  headers: RequestHeaders,
  method: string,
  params: Readonly<Record<string, unknown>>,
  taskNameHeader: TaskNameHeader,
): void {
  const field = nameField(method);
  const name = field === null ? undefined : params[field];
  if (typeof name !== 'string') return;
  const sent = decodedHeaderValue(headers, 'Mcp-Name');
  if (sent === undefined && field === 'taskId' && taskNameHeader === 'optional') return;
  requireEqual('Mcp-Name', sent, name);
}

function requireEqual(header: string, sent: string | undefined, expected: string): void {
  if (sent === undefined) throw headerMismatch(header, 'is missing');
  if (sent !== expected) throw headerMismatch(header, 'does not match the body');
}
