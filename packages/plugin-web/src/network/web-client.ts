import type { NetworkPolicy } from '@longshore/network';
import type { Agent } from 'undici';
import { FetchFailure, toFetchFailure } from '../fetch-failure.ts';
import { ACCEPTED_ENCODINGS, readBody } from './read-body.ts';

const MAX_REDIRECTS = 5;

/** Longest a site may take for one response, from the request to its last byte. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Longest `Retry-After` that is taken seriously. */
const MAX_RETRY_AFTER_MS = 60_000;

export interface WebRequest {
  readonly signal: AbortSignal;
  /** Of the body, unpacked. */
  readonly maxBytes: number;
  /** Media types asked for. */
  readonly accept: string;
  /** Called before each request, redirects included; what it returns is called when that is through. */
  readonly before: (url: URL) => Promise<() => void>;
}

export interface WebResponse {
  /** Where it came from in the end. */
  readonly url: URL;
  readonly status: number;
  /** As sent; empty: none. */
  readonly contentType: string;
  readonly body: Buffer;
}

export interface WebClientOptions {
  readonly agent: Agent;
  readonly policy: NetworkPolicy;
  readonly userAgent: string;
  /** @default 30 s */
  readonly timeoutMs?: number;
}

/** Fetches over HTTP, as far as the policy goes. */
export class WebClient {
  readonly #options: WebClientOptions;

  constructor(options: WebClientOptions) {
    this.#options = options;
  }

  /**
   * Gets a resource, through up to five redirects, each of which is checked as the first URL was.
   *
   * @throws {FetchFailure} whatever is wrong with it; a status that is not 2xx is HTTP_STATUS
   * @throws the signal's reason when it fires
   */
  async get(text: string, request: WebRequest): Promise<WebResponse> {
    let url = this.#url(text);
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const done = await request.before(url);
      try {
        const answer = await this.#within(request.signal, (signal) =>
          this.#once(url, request, signal),
        );
        if (!('redirect' in answer)) return answer;
        url = this.#url(answer.redirect, url);
      } finally {
        done();
      }
    }
    throw new FetchFailure('TOO_MANY_REDIRECTS', `redirects more than ${MAX_REDIRECTS} times`);
  }

  #url(text: string, base?: URL): URL {
    try {
      return this.#options.policy.url(text, base);
    } catch (error) {
      throw toFetchFailure(error) ?? error;
    }
  }

  async #once(
    url: URL,
    { accept, maxBytes }: WebRequest,
    signal: AbortSignal,
  ): Promise<WebResponse | { readonly redirect: string }> {
    const { agent, userAgent } = this.#options;
    const { statusCode, headers, body } = await agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'GET',
      headers: { accept, 'accept-encoding': ACCEPTED_ENCODINGS, 'user-agent': userAgent },
      signal,
    });
    // Whoever reads no further must still hear that the connection broke.
    body.on('error', () => {});
    try {
      const location = single(headers['location']);
      if (statusCode >= 300 && statusCode < 400 && location !== '') return { redirect: location };
      if (statusCode < 200 || statusCode >= 300) {
        throw new FetchFailure('HTTP_STATUS', `answers with status ${statusCode}`, {
          status: statusCode,
          retryAfterMs: retryAfterMs(single(headers['retry-after'])),
        });
      }
      if (Number(single(headers['content-length'])) > maxBytes) {
        throw new FetchFailure('TOO_LARGE', `is larger than ${maxBytes} bytes`);
      }
      return {
        url,
        status: statusCode,
        contentType: single(headers['content-type']),
        body: await readBody(body, single(headers['content-encoding']), maxBytes),
      };
    } finally {
      body.destroy();
    }
  }

  async #within<T>(outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    outer.throwIfAborted();
    const controller = new AbortController();
    const stop = (): void => controller.abort();
    outer.addEventListener('abort', stop, { once: true });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      controller.abort();
    }, this.#options.timeoutMs ?? REQUEST_TIMEOUT_MS);
    try {
      return await work(controller.signal);
    } catch (error) {
      outer.throwIfAborted();
      if (isLate) throw new FetchFailure('TIMEOUT', 'takes too long', { cause: error });
      throw toFetchFailure(error) ?? error;
    } finally {
      clearTimeout(timer);
      outer.removeEventListener('abort', stop);
    }
  }
}

function single(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

/** Seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterMs(value: string): number | null {
  if (value === '') return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}
