import { pipeline } from 'node:stream/promises';
import {
  type Access,
  type AuditTarget,
  type ByteRange,
  LongshoreError,
  type PrincipalId,
} from '@longshore/core';
import type { Request, RequestHandler, Response } from 'express';
import type { Authenticator } from '../edge/auth/authenticator.ts';
import type { OpenResponses } from '../edge/auth/open-responses.ts';
import { DOWNLOAD_SCOPES, requireScopes } from '../edge/auth/required-scopes.ts';
import type { HostGuard } from '../edge/host-guard.ts';
import type { LimitsOf } from '../edge/limits/limits-of.ts';
import type { RequestRates } from '../edge/limits/request-rates.ts';
import type { StreamLimit } from '../edge/stream-limit.ts';
import { whenClosed } from '../edge/when-closed.ts';
import type { SessionRegistry } from '../sessions/session-registry.ts';
import { parsePath } from '../tasks/task-uri.ts';
import { parseRange } from './byte-range.ts';
import { attachment } from './content-disposition.ts';
import { parseItemsPath } from './items-address.ts';
import type { TaskContent } from './task-content.ts';
import type { TaskContents } from './task-contents.ts';

export interface DownloadOptions {
  readonly guard: HostGuard;
  readonly authenticator: Authenticator;
  /** Null: credentials can not be revoked. */
  readonly openResponses: OpenResponses | null;
  readonly context: {
    readonly sessions: SessionRegistry;
    readonly contents: TaskContents;
    readonly rates: RequestRates;
    readonly held: StreamLimit;
    readonly limitsOf: LimitsOf;
  };
}

const PREFIX = '/tasks/';
/** By an expression without groups: a path that can not be decoded is this endpoint's to refuse, not the router's. */
export const DOWNLOAD_PATHS = /^\/tasks\/./i;

/** A client that takes nothing for so long has left. */
const IDLE_TIMEOUT_MS = 60_000;

const WHOLE: ByteRange = { start: 0, end: Number.POSITIVE_INFINITY };

/**
 * GET and HEAD of /tasks/{id}/result, /tasks/{id}/files/{name} and /tasks/{id}/items.ndjson or .csv, with the
 * credentials of a request to /mcp; a session of 2025-11-25 names itself by its header. Unknown, expired and
 * foreign are one case: 404.
 */
export function downloadEndpoint(options: DownloadOptions): RequestHandler {
  const { guard, authenticator, openResponses, context } = options;
  return async (request, response) => {
    if (!guard.admits(request, response)) return;
    const access = await authenticator.authenticate(request.headers);
    openResponses?.add(access.identity.authBindingId, response);
    const { log } = response.locals;
    log.identify(access.identity);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.status(405).setHeader('Allow', 'GET, HEAD').end();
      return;
    }
    requireScopes(access, DOWNLOAD_SCOPES);
    const owner = await ownerOf(options, request, access);
    log.bind({ principal: owner });
    log.identify({ ...access.identity, principalId: owner });
    const { requestsPerMinute, openStreams } = context.limitsOf(access);
    context.rates.take(owner, requestsPerMinute);
    const content = await find(context.contents, owner, request).catch(refusal);
    if (content === null || content instanceof LongshoreError) {
      if (content === null) log.auditCount('lookups_failed', null);
      response.status(content === null ? 404 : 400);
      response.json({ error: content === null ? 'Not found.' : content.message });
      return;
    }
    log.audit('task_downloaded', downloaded(request));
    const giveBack = context.held.take(owner, openStreams);
    try {
      await sendContent(content, request, response);
    } finally {
      giveBack();
    }
  };
}

/** A session proves nothing beyond what it does at /mcp: it must be one of this caller. */
async function ownerOf(
  { context }: DownloadOptions,
  request: Request,
  { identity, sessionIdentity }: Access,
): Promise<PrincipalId> {
  const id = request.headers['mcp-session-id'];
  if (typeof id !== 'string' || id === '') return identity.principalId;
  return (await context.sessions.get(id, sessionIdentity?.principalId ?? null)).principalId;
}

/** The task is the first part of the path of all that is found. */
function downloaded({ path }: Request): AuditTarget {
  return { kind: 'task', id: path.slice(PREFIX.length).split('/', 1)[0] ?? '' };
}

async function find(
  contents: TaskContents,
  owner: PrincipalId,
  request: Request,
): Promise<TaskContent | null> {
  const path = request.path.slice(PREFIX.length);
  const [, query = ''] = request.url.split('?', 2);
  const items = parseItemsPath(path, new URLSearchParams(query));
  if (items !== null) return contents.findItems(items.wanted, items.format, owner);
  const address = parsePath(path);
  return address === null ? null : contents.find(address, owner);
}

/** A wrong query has an HTTP status of its own: as JSON-RPC it would be a 200 that looks like the file. */
function refusal(error: unknown): LongshoreError {
  if (error instanceof LongshoreError && error.code === 'INVALID_PARAMS') return error;
  throw error;
}

/** Answers a GET or HEAD with a content, or the range of it that is asked for. */
export async function sendContent(
  content: TaskContent,
  request: Request,
  response: Response,
): Promise<void> {
  const over = new AbortController();
  whenClosed(response, () => over.abort());
  const { version } = content;
  describe(content, response);
  // While bytes still come in, there is nothing but what is there so far.
  if (version === null) {
    if (request.method === 'HEAD') response.end();
    else await stream(content, WHOLE, response, over.signal);
    return;
  }
  const etag = `"${version}"`;
  response.setHeader('Accept-Ranges', 'bytes').setHeader('ETag', etag);
  if (matches(request.headers['if-none-match'], etag)) {
    response.status(304).end();
    return;
  }
  const size = await sizeFor(request, etag, content, response, over.signal);
  if (over.signal.aborted) return;
  if (size === null) await stream(content, WHOLE, response, over.signal);
  else await sendSized(content, size, rangeOf(request, etag, size), request, response, over.signal);
}

/**
 * To know the size may take a reading, which is made for those only who need it.
 * @returns null: it is not needed, or the client has left
 */
async function sizeFor(
  request: Request,
  etag: string,
  content: TaskContent,
  response: Response,
  left: AbortSignal,
): Promise<number | null> {
  if (content.size !== null) return content.size;
  if (request.method !== 'HEAD' && rangeOf(request, etag, 1) === null) return null;
  return unlessLeft(() => content.measure(left), left, response);
}

async function sendSized(
  content: TaskContent,
  size: number,
  range: ReturnType<typeof rangeOf>,
  request: Request,
  response: Response,
  left: AbortSignal,
): Promise<void> {
  if (range === 'unsatisfiable') {
    response.setHeader('Content-Range', `bytes */${size}`);
    response.removeHeader('Content-Disposition');
    response.status(416).end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: size };
  if (range !== null) {
    response.status(206).setHeader('Content-Range', `bytes ${start}-${end - 1}/${size}`);
  }
  response.setHeader('Content-Length', end - start);
  if (request.method === 'HEAD' || start === end) response.end();
  else await stream(content, { start, end }, response, left);
}

/** What `describe` and `sendContent` say of a content, and no error is to say of itself. */
const CONTENT_HEADERS = [
  ...['Content-Type', 'Content-Disposition', 'Content-Length', 'Content-Range'],
  ...['Accept-Ranges', 'ETag'],
];

/** What comes from a tool is data: no browser is to run it as a page of this server. */
function describe({ name, mimeType }: TaskContent, response: Response): void {
  response.setHeader('Content-Type', mimeType);
  response.setHeader('Content-Disposition', attachment(name));
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Content-Security-Policy', "default-src 'none'; sandbox");
  response.setHeader('Cache-Control', 'private, no-cache');
}

function rangeOf(request: Request, etag: string, size: number) {
  const condition = request.headers['if-range'];
  if (request.method !== 'GET' || (condition !== undefined && condition !== etag)) return null;
  return parseRange(request.headers.range, size);
}

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}

async function stream(
  content: TaskContent,
  range: ByteRange,
  response: Response,
  left: AbortSignal,
): Promise<void> {
  response.setTimeout(IDLE_TIMEOUT_MS, () => response.destroy());
  const chunks = content.read(range, left)[Symbol.asyncIterator]();
  // Before the status goes out: a store that does not answer is an answer of its own.
  const first = await unlessLeft(() => chunks.next(), left, response);
  if (first === null) return;
  try {
    await pipeline(continued(first, chunks), response);
  } catch (err) {
    // It has become shorter than announced, which tells the client.
    const { log } = response.locals;
    if (left.aborted) log.debug({ err }, 'download was left');
    else log.warn({ err }, 'download broke off');
  }
}

/**
 * @returns null when the client has left
 * @throws what reading threw, with nothing left of the content in the headers of the answer
 */
async function unlessLeft<T>(
  read: () => Promise<T>,
  left: AbortSignal,
  response: Response,
): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (left.aborted) return null;
    for (const name of CONTENT_HEADERS) response.removeHeader(name);
    throw error;
  }
}

async function* continued(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
