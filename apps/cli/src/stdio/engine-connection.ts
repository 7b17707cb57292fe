import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, LongshoreError } from '@longshore/core';
import type { EngineAddress } from '../engine/engine-address.ts';

/** Another API process is there within seconds, another engine within some more. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 100;

/** Nothing of the request can have arrived. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT', 'EHOSTUNREACH']);

export interface EngineRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether doing it twice is the same as doing it once. */
  readonly repeatable: boolean;
  readonly signal: AbortSignal;
}

/** HTTP to the engine, wherever it is by now: it may end, come back, and be another one. */
export class EngineConnection {
  readonly #find: (signal: AbortSignal) => Promise<EngineAddress>;
  readonly #log: Logger;

  /** @param options.find finds the engine, or starts one */
  constructor(options: { find: (signal: AbortSignal) => Promise<EngineAddress>; log: Logger }) {
    this.#find = options.find;
    this.#log = options.log;
  }

  /**
   * Sends a request, again where that is safe, until the engine answers.
   *
   * @returns the answer's head; its body may break
   * @throws {LongshoreError} ENGINE_LOST when nobody knows whether it arrived, or nobody answers in time;
   *   CONFIG_INVALID when there is no engine and none can be started
   * @throws {DOMException} AbortError
   */
  async send(request: EngineRequest): Promise<Response> {
    const { method, headers, body, signal } = request;
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const { url, token } = await this.#find(signal);
      let cause: unknown;
      try {
        const response = await fetch(url, {
          method,
          headers: { ...headers, Authorization: `Bearer ${token}` },
          ...(body === undefined ? {} : { body }),
          signal,
        });
        if (!isPassing(response)) return response;
        await response.body?.cancel();
        cause = new Error(`HTTP status ${response.status}`);
      } catch (error) {
        signal.throwIfAborted();
        if (!request.repeatable && !NEVER_SENT.has(codeOf(error))) throw lost(error);
        cause = error;
      }
      if (performance.now() >= until) throw lost(cause);
      this.#log.debug({ err: cause }, 'the engine is not there: trying again');
      await sleep(PAUSE_MS, undefined, { signal });
    }
  }
}

/** What an API says that is about to stop, and one of another engine that has taken the port. */
function isPassing({ status, headers }: Response): boolean {
  return status === 401 || (status === 503 && headers.get('content-type') === null);
}

function lost(cause: unknown): LongshoreError {
  return new LongshoreError(
    'ENGINE_LOST',
    'The connection to the engine broke before the answer. What was asked for may have happened: look for it in the list of tasks before you ask again.',
    { cause },
  );
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}
