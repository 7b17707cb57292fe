import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type JsonValue, LongshoreError, type PrincipalId, type TaskId } from '@longshore/core';
import * as z from 'zod';
import { canonicalJson } from '../calls/idempotency.ts';
import type { ResumedRow } from './modern-call.ts';

/**
 * One day: longer than a question usually waits for its answer, and than the clocks of two replicas differ, for
 * the one that reads a state need not be the one that wrote it.
 */
const DEFAULT_TTL_MS = 86_400_000;
const PREFIX = 'v1.';

/** The request a state belongs to. */
export interface StatedRequest {
  readonly principalId: PrincipalId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const Payload = z.object({
  /** The row that waits for the answers. */
  t: z.uuid().transform((id) => id as TaskId),
  /** Digest of principal, method and params. */
  d: z.string(),
  /** Expiry, in milliseconds since 1970. */
  e: z.number(),
  /** Cursor of the last log message the client has got. */
  l: z.string().regex(/^\d{1,19}$/),
});

/**
 * The `requestState` of `input_required` results: which row the client's next round goes on with. It comes
 * back from the client, so it is signed, expires, and counts only for the same request of the same
 * principal. Whether its questions are still open is the row's business: replaying a state does nothing
 * twice.
 *
 * Shape: `v1.<base64url of JSON>.<base64url of HMAC-SHA256>`. Signed, not encrypted: the row's id says
 * nothing, and has no use, to anybody else.
 *
 * @see 2026-07-28 basic/patterns/mrtr, "Request State"
 */
export class RequestStateCodec {
  readonly #key: Buffer;
  readonly #ttlMs: number;
  readonly #now: () => number;

  /** @param options.key secret that all replicas share, at least 32 bytes of UTF-8 */
  constructor(options: { key: string; ttlMs?: number; now?: () => number }) {
    this.#key = Buffer.from(options.key, 'utf8');
    if (this.#key.length < 32) throw new RangeError('the key has under 32 bytes');
    this.#ttlMs = options.ttlMs ?? DEFAULT_TTL_MS;
    this.#now = options.now ?? Date.now;
  }

  mint({ taskId, logsAfter }: ResumedRow, request: StatedRequest): string {
    const expiresAt = this.#now() + this.#ttlMs;
    const payload = { t: taskId, d: digest(request), e: expiresAt, l: logsAfter };
    const body = PREFIX + Buffer.from(JSON.stringify(payload)).toString('base64url');
    return `${body}.${this.#sign(body).toString('base64url')}`;
  }

  /**
   * @returns the row the state is about
   * @throws {LongshoreError} INVALID_REQUEST_STATE, the same for all reasons
   */
  verify(state: string, request: StatedRequest): ResumedRow {
    const dot = state.lastIndexOf('.');
    const body = state.slice(0, Math.max(dot, 0));
    const signature = Buffer.from(state.slice(dot + 1), 'base64url');
    // Node decodes Base64 leniently: only what it would write itself is a signature.
    const canonical = signature.toString('base64url') === state.slice(dot + 1);
    if (!canonical || !sameBytes(signature, this.#sign(body))) throw refusal();
    const payload = Payload.safeParse(parseJson(body.slice(PREFIX.length)));
    if (!payload.success || payload.data.e <= this.#now()) throw refusal();
    if (!sameBytes(Buffer.from(payload.data.d), Buffer.from(digest(request)))) throw refusal();
    return { taskId: payload.data.t, logsAfter: payload.data.l };
  }

  #sign(body: string): Buffer {
    return createHmac('sha256', this.#key).update(body).digest();
  }
}

/** Everything that makes a request what it is; the rounds of one request differ in the rest. */
function digest({ principalId, method, params }: StatedRequest): string {
  const { _meta, inputResponses: _responses, requestState: _state, ...own } = params;
  const text = canonicalJson([principalId, method, own as JsonValue]);
  return createHash('sha256').update(text).digest('base64url');
}

function sameBytes(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

function parseJson(base64: string): unknown {
  try {
    return JSON.parse(Buffer.from(base64, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}

function refusal(): LongshoreError {
  return new LongshoreError(
    'INVALID_REQUEST_STATE',
    'The requestState is not valid for this request, or has expired: send the request without it and inputResponses to start anew',
  );
}
