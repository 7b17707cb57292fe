import { setTimeout as delay } from 'node:timers/promises';
import { at } from './json.ts';
import { WireError } from './wire-error.ts';

const BUSY_RETRIES = 3;
const LONGEST_BUSY_PAUSE_S = 5;

export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** The MCP endpoint under test, with the headers the user wants on every request. */
export class HttpEndpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.url = url;
    this.headers = headers;
  }

  /**
   * Sends one request; asks again, a few times, when the server says it has too much to do.
   * @throws {WireError} when there is no HTTP answer
   */
  async send(request: HttpRequest): Promise<Response> {
    for (let retries = 0; ; retries += 1) {
      const response = await this.#fetch(request);
      const pauseS = Number(response.headers.get('retry-after') ?? Number.NaN);
      const busy = response.status === 429 && pauseS <= LONGEST_BUSY_PAUSE_S;
      if (!busy || retries === BUSY_RETRIES) return response;
      await response.body?.cancel();
      await delay(pauseS * 1_000, undefined, { signal: request.signal });
    }
  }

  /** A kept connection may be closed by the server the moment it is used again: then a new one is. */
  async #fetch(request: HttpRequest): Promise<Response> {
    try {
      return await this.#fetchOnce(request);
    } catch (error) {
      if (!(error instanceof WireError) || !isReset(error)) throw error;
      return this.#fetchOnce(request);
    }
  }

  async #fetchOnce({ method, headers, body, signal }: HttpRequest): Promise<Response> {
    try {
      return await fetch(this.url, {
        method,
        headers: { ...headers, ...this.headers },
        redirect: 'error',
        signal,
        ...(body === undefined ? {} : { body }),
      });
    } catch (cause) {
      const reasons = [at(cause, 'message'), at(cause, 'cause', 'message')].filter(Boolean);
      throw new WireError(`${method} ${this.url}: ${reasons.join(': ')}`, { cause });
    }
  }
}

function isReset(error: WireError): boolean {
  const code = at(error.cause, 'cause', 'code');
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET';
}
