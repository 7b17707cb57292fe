/**
 * Every error a user, client or operator can meet, by code. Codes are stable and only ever added.
 * `retryable`: the same request may succeed later without any change.
 * The wire mapping lives in `@longshore/protocol` (`error-to-wire.ts`), the prose in docs/errors.md.
 */
export const ERROR_CATALOGUE = {
  INVALID_PARAMS: { retryable: false, summary: 'A parameter of the request is malformed.' },
  INVALID_CURSOR: {
    retryable: false,
    summary: 'A pagination cursor was not issued by this server.',
  },
  NOT_FOUND: { retryable: false, summary: 'There is nothing of this id or name.' },
  UNKNOWN_METHOD: { retryable: false, summary: 'The method does not exist.' },
  UNKNOWN_TOOL: { retryable: false, summary: 'No live worker offers a tool of this name.' },
  UNKNOWN_PROMPT: { retryable: false, summary: 'No live worker offers a prompt of this name.' },
  RESOURCE_NOT_FOUND: { retryable: false, summary: 'No live worker offers this resource.' },
  MISSING_CAPABILITY: {
    retryable: false,
    summary: 'The request needs a capability that the client did not declare.',
  },
  MISSING_ENVELOPE: {
    retryable: false,
    summary: 'The `_meta` envelope of a modern request is missing or malformed.',
  },
  HEADER_MISMATCH: {
    retryable: false,
    summary: 'An MCP header is missing, malformed, or contradicts the body.',
  },
  INVALID_REQUEST_STATE: {
    retryable: false,
    summary: 'The requestState is expired, of another request, or was tampered with.',
  },
  TASK_REQUIRED: { retryable: false, summary: 'The tool runs only as a task.' },
  TASK_FORBIDDEN: { retryable: false, summary: 'The tool does not run as a task.' },
  TASK_NOT_FOUND: { retryable: false, summary: 'Unknown, expired or foreign task.' },
  TASK_TERMINAL: { retryable: false, summary: 'The task has already ended.' },
  TASK_OPEN: { retryable: false, summary: 'The task has not ended.' },
  TASK_CANCELLED: { retryable: false, summary: 'The task was cancelled, so it has no result.' },
  TASK_DEADLINE: { retryable: false, summary: 'The task passed its execution deadline.' },
  TASK_ABANDONED: { retryable: false, summary: 'Too many workers died while running the task.' },
  SESSION_REQUIRED: { retryable: false, summary: 'The request needs an MCP-Session-Id header.' },
  SESSION_NOT_FOUND: { retryable: false, summary: 'The session is unknown or was ended.' },
  INVALID_EVENT_ID: {
    retryable: false,
    summary: 'The Last-Event-ID names no stream of the caller that could be resumed.',
  },
  UNSUPPORTED_VERSION: { retryable: false, summary: 'The protocol version is not supported.' },
  FORBIDDEN_ORIGIN: { retryable: false, summary: 'The Origin or Host header is not allowed.' },
  UNAUTHENTICATED: {
    retryable: false,
    summary: 'The request has no valid credentials: none, malformed, unknown, expired or revoked.',
  },
  INSUFFICIENT_SCOPE: {
    retryable: false,
    summary: 'The credentials are valid, but not for this request.',
  },
  PARSE_ERROR: { retryable: false, summary: 'The request body is not JSON.' },
  INVALID_REQUEST: { retryable: false, summary: 'The request body is not one JSON-RPC message.' },
  UNSUPPORTED_MEDIA_TYPE: { retryable: false, summary: 'The body is not application/json.' },
  NOT_ACCEPTABLE: { retryable: false, summary: 'The Accept header admits no answer of ours.' },
  BODY_TOO_LARGE: { retryable: false, summary: 'The request body is over the size limit.' },
  TOO_MANY_STREAMS: { retryable: true, summary: 'Too many requests are held open.' },
  RATE_LIMITED: {
    retryable: true,
    summary: 'The principal has sent all the requests it may within a minute.',
  },
  TOO_MANY_TASKS: {
    retryable: true,
    summary: 'As many tasks of the principal as may be are waiting for a worker.',
  },
  TOO_MANY_SESSIONS: {
    retryable: true,
    summary: 'As many sessions of the principal as may be are in use.',
  },
  ARGUMENTS_TOO_LARGE: { retryable: false, summary: 'The arguments are over the size limit.' },
  IDEMPOTENCY_CONFLICT: {
    retryable: false,
    summary: 'The idempotency key belongs to a call of the tool with other arguments.',
  },
  DATABASE_UNAVAILABLE: { retryable: true, summary: 'The database did not answer.' },
  QUEUE_UNAVAILABLE: { retryable: true, summary: 'The job queue did not answer.' },
  ISSUER_UNAVAILABLE: {
    retryable: true,
    summary: 'The keys of the OAuth issuer could not be read.',
  },
  ENGINE_LOST: {
    retryable: false,
    summary:
      'The connection between `longshore stdio` and its engine broke before the answer: a call may run, a task may be there.',
  },
  FILE_STORE_UNAVAILABLE: { retryable: true, summary: 'The store of files did not answer.' },
  SHUTTING_DOWN: { retryable: true, summary: 'This server is stopping.' },
  CONFIG_INVALID: { retryable: false, summary: 'An environment variable is wrong.' },
  PLUGIN_LOAD_FAILED: { retryable: false, summary: 'A plugin could not be loaded.' },
  MIGRATION_FAILED: { retryable: false, summary: 'The database could not be migrated.' },
  INTERNAL: { retryable: false, summary: 'A defect of this server.' },
} as const satisfies Record<string, { retryable: boolean; summary: string }>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

export interface LongshoreErrorOptions {
  readonly cause?: unknown;
  /** Machine-readable facts for the client; never secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** What the log, and a command that talks to the database itself, say in place of the message. */
  readonly diagnosis?: string;
}

/**
 * An expected failure, made where it is known and mapped to the wire in one place. Clients and models may read its
 * message, tools can show it: hosts, statements and variables belong into the diagnosis.
 */
export class LongshoreError extends Error {
  override readonly name = 'LongshoreError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  /** For operators; the message where nothing else was given. */
  readonly diagnosis: string;

  constructor(code: ErrorCode, message: string, options: LongshoreErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.diagnosis = options.diagnosis ?? message;
  }

  get retryable(): boolean {
    return ERROR_CATALOGUE[this.code].retryable;
  }
}

/** A failure of the server or of what it stands on: clients read the catalogue's summary and whether to try again. */
export function serverFailure(code: ErrorCode, diagnosis: string, cause?: unknown): LongshoreError {
  const { summary, retryable } = ERROR_CATALOGUE[code];
  const message = retryable ? `${summary} Try again.` : summary;
  return new LongshoreError(code, message, { cause, diagnosis });
}

/**
 * What operators are told of anything thrown. Looks at fields, not at `instanceof`: inside jest the errors of Node's
 * own modules come from another realm and are no instances of the `Error` seen here.
 */
export function diagnosisOf(thrown: unknown): string {
  if (thrown instanceof LongshoreError) return thrown.diagnosis;
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  if ('message' in thrown && thrown.message !== '') return String(thrown.message);
  // Node tries each address of a host and reports them together, with an empty message.
  if ('errors' in thrown && Array.isArray(thrown.errors)) {
    return thrown.errors.map(diagnosisOf).join(', ');
  }
  return 'name' in thrown ? String(thrown.name) : String(thrown);
}
