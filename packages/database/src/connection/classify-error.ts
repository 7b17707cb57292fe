import { diagnosisOf, type ErrorCode, LongshoreError, serverFailure } from '@longshore/core';
import type * as z from 'zod';

/*
 * The one place where an error of Postgres, of the driver or of Prisma gets a code of ours. It goes by
 * SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html) and by the error codes of
 * Node's sockets; a message decides only where the driver gives no code.
 */

/** SQLSTATE classes that say "not now": connection, resources, operator intervention, system, read-only. */
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57', '58']);
const UNAVAILABLE_STATES = new Set([
  '25006', // read-only transaction: a standby, or a fail-over under way
  '28000', // the role is refused
  '28P01', // the password is wrong
  '3D000', // the database does not exist (yet)
  '40001', // serialization failure, after our own tries
  '40P01', // deadlock, after our own tries
  '55P03', // lock not available
]);
/** A character that text can not hold: NUL, or broken UTF-8. */
const UNSTORABLE_STATES = new Set(['22021', '22P05']);
/** Unknown table or column. */
const UNMIGRATED_STATES = new Set(['42P01', '42703']);

const SOCKET_CODES = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);
/** Errors of pg and pg-pool that carry no code, and the many ways in which TLS can fail. */
const CONNECTION_MESSAGES =
  /Connection terminated|connection error|timeout exceeded when trying to connect|Query read timeout|timeout expired|not queryable|certificate|SSL/;
const UNSTORABLE =
  'A text contains a character that can not be stored, such as NUL (U+0000). Remove it and try again.';
/** Columns that are named of a row that does not fit. */
const MAX_MISFITS = 5;
const CLOSED_MESSAGES = /after calling end on the pool|Client was closed/;
/** Prisma's own codes for "can not reach, timed out, closed, no free connection". */
const PRISMA_UNAVAILABLE = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024']);

/** @returns the SQLSTATE of a Postgres error, also when Prisma wrapped it; null for others */
export function sqlState(error: unknown): string | null {
  const code = field(error, 'code');
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('P')) return code;
  const originalCode = field(driverError(error), 'originalCode');
  return typeof originalCode === 'string' ? originalCode : null;
}

/**
 * @param doing what failed, for operators: `claim-tasks`
 * @param server where, without credentials: `127.0.0.1:5432/longshore`
 * @returns DATABASE_UNAVAILABLE (the outcome is unknown when the connection broke in between),
 *   INVALID_PARAMS for text Postgres can not hold, SHUTTING_DOWN after close, else INTERNAL
 */
export function classifyError(error: unknown, doing: string, server: string): LongshoreError {
  if (error instanceof LongshoreError) return error;
  const reason = lastLineOf(error);
  const state = sqlState(error);
  const code = codeOf(error, state, reason);
  if (code === 'INVALID_PARAMS') return new LongshoreError(code, UNSTORABLE, { cause: error });
  return serverFailure(code, diagnosis(code, doing, server, state, reason), error);
}

/** @returns INTERNAL that tells operators which columns of a row are not what the statement's schema expects */
export function rowMisfit(error: z.ZodError, statement: string): LongshoreError {
  const columns = error.issues.slice(0, MAX_MISFITS).map(misfitOf).join('; ');
  return serverFailure(
    'INTERNAL',
    `${statement} returned a row that does not fit: ${columns}`,
    error,
  );
}

/** Of the schema's words, which hold no value of the row. */
function misfitOf(issue: z.core.$ZodIssue): string {
  const expected =
    issue.code === 'invalid_union' && issue.errors.length > 0
      ? issue.errors.flatMap((errors) => errors.map(({ message }) => message)).join(', or ')
      : issue.message;
  return `${issue.path.join('.')}: ${expected}`;
}

/** The last line, for Prisma puts a picture of its caller's source above it. */
function lastLineOf(error: unknown): string {
  const text = diagnosisOf(error);
  return text.trim().split('\n').at(-1) ?? text;
}

function codeOf(error: unknown, state: string | null, reason: string): ErrorCode {
  if (state !== null) {
    if (UNAVAILABLE_STATES.has(state)) return 'DATABASE_UNAVAILABLE';
    if (UNAVAILABLE_CLASSES.has(state.slice(0, 2))) return 'DATABASE_UNAVAILABLE';
    return UNSTORABLE_STATES.has(state) ? 'INVALID_PARAMS' : 'INTERNAL';
  }
  if (CLOSED_MESSAGES.test(reason)) return 'SHUTTING_DOWN';
  const code = field(error, 'code');
  if (typeof code === 'string' && (SOCKET_CODES.has(code) || PRISMA_UNAVAILABLE.has(code))) {
    return 'DATABASE_UNAVAILABLE';
  }
  const kind = field(driverError(error), 'kind');
  if (kind === 'DatabaseNotReachable' || kind === 'ConnectionClosed' || kind === 'SocketTimeout') {
    return 'DATABASE_UNAVAILABLE';
  }
  return CONNECTION_MESSAGES.test(reason) ? 'DATABASE_UNAVAILABLE' : 'INTERNAL';
}

function diagnosis(
  code: ErrorCode,
  doing: string,
  server: string,
  state: string | null,
  reason: string,
): string {
  if (code === 'SHUTTING_DOWN') return `the database was closed before ${doing}`;
  if (state !== null && UNMIGRATED_STATES.has(state)) {
    return `${doing}: the tables at ${server} are missing or of another version: ${reason}. Run the migrations.`;
  }
  if (code === 'INTERNAL') return `${doing} failed: ${reason}`;
  return `Postgres at ${server} did not answer ${doing}: ${reason}. If it lasts, check DATABASE_URL and the server.`;
}

/** What Prisma keeps of the driver's error: P2010 has it in `meta`, a driver adapter error is one itself. */
function driverError(error: unknown): unknown {
  if (field(error, 'name') === 'DriverAdapterError') return field(error, 'cause');
  return field(field(field(error, 'meta'), 'driverAdapterError'), 'cause');
}

function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
