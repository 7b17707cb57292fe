import { NetworkRefusal } from '@longshore/network';

export const FETCH_FAILURE_CODES = [
  'INVALID_URL',
  'HOST_NOT_ALLOWED',
  'PRIVATE_ADDRESS',
  'ROBOTS_DENIED',
  'ROBOTS_UNREACHABLE',
  'DNS_FAILED',
  'CONNECT_FAILED',
  'TLS_FAILED',
  'TIMEOUT',
  'TOO_MANY_REDIRECTS',
  'HTTP_STATUS',
  'TOO_LARGE',
  'BAD_RESPONSE',
  'UNSUPPORTED_TYPE',
  'UNREADABLE',
] as const;
export type FetchFailureCode = (typeof FETCH_FAILURE_CODES)[number];

const TRANSIENT: ReadonlySet<FetchFailureCode> = new Set([
  'DNS_FAILED',
  'CONNECT_FAILED',
  'TIMEOUT',
  'ROBOTS_UNREACHABLE',
]);
const TRANSIENT_STATUSES: ReadonlySet<number | null> = new Set([429, 502, 503, 504]);

/** One page can not be had; the others can. */
export class FetchFailure extends Error {
  override readonly name = 'FetchFailure';
  readonly reason: FetchFailureCode;
  /** Of HTTP_STATUS. */
  readonly status: number | null;
  /** How long the site wants to be left alone, in milliseconds. */
  readonly retryAfterMs: number | null;

  constructor(
    reason: FetchFailureCode,
    message: string,
    more: { readonly status?: number; readonly retryAfterMs?: number | null; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.reason = reason;
    this.status = more.status ?? null;
    this.retryAfterMs = more.retryAfterMs ?? null;
  }

  /** The same request may well succeed a little later. */
  get isTransient(): boolean {
    if (this.reason === 'HTTP_STATUS') return TRANSIENT_STATUSES.has(this.status);
    return TRANSIENT.has(this.reason);
  }
}

/** Codes of Node, its TLS and undici for what can go wrong on the way. */
const BY_CODE: readonly (readonly [code: RegExp, reason: FetchFailureCode])[] = [
  [/^(ENOTFOUND|EAI_\w+)$/, 'DNS_FAILED'],
  [/^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$/, 'TIMEOUT'],
  [/^ETIMEDOUT$/, 'TIMEOUT'],
  [
    /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO$)/,
    'TLS_FAILED',
  ],
  [/^(E[A-Z]+|UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_DESTROYED)$/, 'CONNECT_FAILED'],
];

/** What a request threw, as a failure of its page; null: no error of a connection or a body. */
export function toFetchFailure(error: unknown): FetchFailure | null {
  if (error instanceof FetchFailure) return error;
  if (error instanceof NetworkRefusal) {
    return new FetchFailure(error.reason, error.message, { cause: error });
  }
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  const code = String(error.code);
  const reason = BY_CODE.find(([pattern]) => pattern.test(code))?.[1] ?? 'BAD_RESPONSE';
  // Messages of sockets name addresses of our own network; the code says enough.
  return new FetchFailure(reason, `${code} while talking to the site`, { cause: error });
}
