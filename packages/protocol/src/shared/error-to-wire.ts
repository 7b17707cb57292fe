import {
  ERROR_CATALOGUE,
  type Era,
  type ErrorCode,
  LongshoreError,
  type OutcomeError,
} from '@longshore/core';
import * as z from 'zod';

/** An error as it goes out: JSON-RPC error object and HTTP status. */
export interface WireError {
  readonly httpStatus: number;
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

interface Mapping {
  readonly rpc: number;
  readonly http: number;
}

/**
 * JSON-RPC code and HTTP status of every error. The status matters only where the error is decided before
 * a request reaches a method (2025-11-25 basic/transports); an error of a method is a 200 with a JSON-RPC
 * error inside, except when this server can not serve at all (503), so that proxies and clients retry.
 */
const MAPPING = {
  INVALID_PARAMS: { rpc: -32602, http: 200 },
  INVALID_CURSOR: { rpc: -32602, http: 200 },
  NOT_FOUND: { rpc: -32602, http: 404 },
  UNKNOWN_METHOD: { rpc: -32601, http: 200 },
  UNKNOWN_TOOL: { rpc: -32602, http: 200 },
  UNKNOWN_PROMPT: { rpc: -32602, http: 200 },
  RESOURCE_NOT_FOUND: { rpc: -32602, http: 200 },
  MISSING_CAPABILITY: { rpc: -32021, http: 400 },
  MISSING_ENVELOPE: { rpc: -32602, http: 400 },
  HEADER_MISMATCH: { rpc: -32020, http: 400 },
  INVALID_REQUEST_STATE: { rpc: -32602, http: 200 },
  TASK_REQUIRED: { rpc: -32601, http: 200 },
  TASK_FORBIDDEN: { rpc: -32601, http: 200 },
  TASK_NOT_FOUND: { rpc: -32602, http: 200 },
  TASK_TERMINAL: { rpc: -32602, http: 200 },
  TASK_OPEN: { rpc: -32602, http: 200 },
  TASK_CANCELLED: { rpc: -32000, http: 200 },
  TASK_DEADLINE: { rpc: -32603, http: 200 },
  TASK_ABANDONED: { rpc: -32603, http: 200 },
  SESSION_REQUIRED: { rpc: -32600, http: 400 },
  SESSION_NOT_FOUND: { rpc: -32001, http: 404 },
  // Not 404: that tells a client that its session is gone (2025-11-25 basic/transports).
  INVALID_EVENT_ID: { rpc: -32602, http: 400 },
  UNSUPPORTED_VERSION: { rpc: -32022, http: 400 },
  FORBIDDEN_ORIGIN: { rpc: -32600, http: 403 },
  UNAUTHENTICATED: { rpc: -32600, http: 401 },
  INSUFFICIENT_SCOPE: { rpc: -32600, http: 403 },
  PARSE_ERROR: { rpc: -32700, http: 400 },
  INVALID_REQUEST: { rpc: -32600, http: 400 },
  UNSUPPORTED_MEDIA_TYPE: { rpc: -32600, http: 415 },
  NOT_ACCEPTABLE: { rpc: -32600, http: 406 },
  BODY_TOO_LARGE: { rpc: -32600, http: 413 },
  TOO_MANY_STREAMS: { rpc: -32000, http: 429 },
  // Of those that JSON-RPC leaves to servers, those that no revision of MCP has given a meaning.
  RATE_LIMITED: { rpc: -32010, http: 429 },
  TOO_MANY_TASKS: { rpc: -32011, http: 429 },
  TOO_MANY_SESSIONS: { rpc: -32012, http: 429 },
  ARGUMENTS_TOO_LARGE: { rpc: -32602, http: 200 },
  IDEMPOTENCY_CONFLICT: { rpc: -32602, http: 200 },
  DATABASE_UNAVAILABLE: { rpc: -32603, http: 503 },
  QUEUE_UNAVAILABLE: { rpc: -32603, http: 503 },
  FILE_STORE_UNAVAILABLE: { rpc: -32603, http: 503 },
  ISSUER_UNAVAILABLE: { rpc: -32603, http: 503 },
  SHUTTING_DOWN: { rpc: -32603, http: 503 },
  ENGINE_LOST: { rpc: -32603, http: 502 },
  CONFIG_INVALID: { rpc: -32603, http: 500 },
  PLUGIN_LOAD_FAILED: { rpc: -32603, http: 500 },
  MIGRATION_FAILED: { rpc: -32603, http: 500 },
  INTERNAL: { rpc: -32603, http: 500 },
} as const satisfies Record<ErrorCode, Mapping>;

/** HTTP status of an error of the operator API, where a method of MCP would answer with a 200. */
const REST: Partial<Record<ErrorCode, number>> = {
  RESOURCE_NOT_FOUND: 404,
  TASK_NOT_FOUND: 404,
  UNKNOWN_METHOD: 404,
  UNKNOWN_TOOL: 404,
  IDEMPOTENCY_CONFLICT: 409,
  TASK_OPEN: 409,
  TASK_TERMINAL: 409,
  ARGUMENTS_TOO_LARGE: 413,
};

/** Where an era differs from the table above. */
const BY_ERA: Readonly<Record<Era, Partial<Record<ErrorCode, Partial<Mapping>>>>> = {
  legacy: {
    // 2025-11-25 server/resources, "Error Handling".
    RESOURCE_NOT_FOUND: { rpc: -32002 },
  },
  modern: {
    // 2026-07-28 basic/transports/streamable-http, "Protocol Version Header".
    UNKNOWN_METHOD: { http: 404 },
  },
};

/**
 * The one place where an error becomes what a client sees. Anything unexpected keeps its message to itself, and an
 * error of ours its diagnosis.
 *
 * @param era of the request; errors that are decided before it is known are the same in both
 */
export function errorToWire(error: unknown, era: Era = 'legacy'): WireError {
  if (!(error instanceof LongshoreError)) {
    const message = ERROR_CATALOGUE.INTERNAL.summary;
    return { httpStatus: 500, code: -32603, message, data: { code: 'INTERNAL' } };
  }
  const { rpc, http }: Mapping = { ...MAPPING[error.code], ...BY_ERA[era][error.code] };
  return {
    httpStatus: http,
    code: rpc,
    message: error.message,
    data: {
      ...error.details,
      ...(hasBareData(error.code, era) ? {} : { code: error.code }),
      ...(error.retryable ? { retryable: true } : {}),
    },
  };
}

/** An error as the operator API answers it: a status of HTTP, and a body with the code. */
export function errorToHttp(error: unknown): {
  readonly status: number;
  readonly body: { readonly error: Readonly<Record<string, unknown>> };
} {
  if (!(error instanceof LongshoreError)) {
    const { summary: message } = ERROR_CATALOGUE.INTERNAL;
    return { status: 500, body: { error: { code: 'INTERNAL', message, retryable: false } } };
  }
  const { code, message, retryable, details } = error;
  const { http } = MAPPING[code];
  return {
    status: REST[code] ?? (http === 200 ? 400 : http),
    body: { error: { code, message, retryable, ...(details === undefined ? {} : { details }) } },
  };
}

/**
 * When to try again, for the Retry-After header: as the error says (`details.retryAfterMs`), or soon where
 * this server could not serve at all.
 *
 * @returns whole seconds, rounded up; null: there is nothing to wait for
 */
export function retryAfterSeconds(error: unknown): number | null {
  if (!(error instanceof LongshoreError)) return null;
  const ms = error.details?.['retryAfterMs'];
  if (typeof ms === 'number') return Math.max(1, Math.ceil(ms / 1_000));
  return MAPPING[error.code].http === 503 ? 1 : null;
}

/** Clients of 2026-07-28 know a missing resource by `data` that is its URI and nothing else (SEP-2164). */
function hasBareData(code: ErrorCode, era: Era): boolean {
  return era === 'modern' && code === 'RESOURCE_NOT_FOUND';
}

/**
 * A task's own JSON-RPC error as it goes out. One that a worker marks as a missing resource has the code of
 * the era. 2026-07-28 gives its codes from -32020 to -32099 a meaning that no tool can claim, and retired
 * -32002: there such an error is an internal one.
 *
 * @see 2026-07-28 basic/index, "Error Codes"
 */
export function outcomeErrorToWire(error: OutcomeError, era: Era): OutcomeError {
  const missing = MissingResource.safeParse(error.data);
  if (missing.success) {
    const { code, uri } = missing.data;
    const rpc = BY_ERA[era][code]?.rpc ?? MAPPING[code].rpc;
    return { ...error, code: rpc, data: hasBareData(code, era) ? { uri } : { uri, code } };
  }
  return era === 'modern' && isReserved(error.code) ? { ...error, code: -32603 } : error;
}

const MissingResource = z.object({ code: z.literal('RESOURCE_NOT_FOUND'), uri: z.string() });

function isReserved(code: number): boolean {
  return code === -32002 || (code <= -32020 && code >= -32099);
}
