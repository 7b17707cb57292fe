import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { MODERN_VERSION, TASKS_EXTENSION } from '@longshore/protocol';
import * as z from 'zod';
import { readMessages } from '../wire/event-messages.ts';
import { isAnswerTo, modernHeaders, readMessage } from '../wire/message-kinds.ts';
import { CliError, EXIT } from './cli-error.ts';
import type { ServerAddress } from './server-address.ts';

type Json = Readonly<Record<string, unknown>>;

/** For the head of an answer; streams may take as long as they want. */
const HEAD_TIMEOUT_MS = 30_000;

/** Between two attempts to reach a server that is away, in milliseconds. */
const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 2_000;

/** What a proxy says whose server is away, and a server whose database is. */
const AWAY_STATUS = new Set([502, 503, 504]);
const AWAY_CODES = new Set(['DATABASE_UNAVAILABLE', 'QUEUE_UNAVAILABLE', 'SHUTTING_DOWN']);

const AnswerError = z.object({
  code: z.number(),
  message: z.string(),
  data: z.unknown().optional(),
});
type AnswerError = z.output<typeof AnswerError>;
const Answer = z.object({
  result: z.record(z.string(), z.unknown()).optional(),
  error: AnswerError.optional(),
});

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Hears the notifications that come before the answer. */
  readonly onNotification?: (method: string, params: Json) => void;
  readonly meta?: Json;
  /** Whether it is the same to the server how often it comes; of `tools/call` that is false unless said. */
  readonly isRepeatable?: boolean;
}

export interface ClientSettings {
  readonly version: string;
  /** How long a server that has answered once is waited for when it answers no more. */
  readonly patienceMs: number;
  /** Tells the user. */
  readonly say: (text: string) => void;
  /** Ends the waiting. */
  readonly stop: AbortSignal;
}

/** Nobody answers, or somebody who can not for now. */
export class AwayError extends CliError {
  constructor(message: string, options?: ErrorOptions) {
    super(EXIT.unreachable, message, options);
  }
}

/** The server said no, in JSON-RPC. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  readonly code: number;
  /** Ours, such as UNKNOWN_TOOL; null: of another server. */
  readonly stableCode: string | null;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    const found = z.object({ code: z.string() }).safeParse(data);
    this.stableCode = found.success ? found.data.code : null;
  }
}

/**
 * MCP 2026-07-28 with the tasks extension, over HTTP. In this era a command finds the tasks of the one before,
 * for no session is between them; the official client has no tasks in it.
 *
 * A request that may be repeated is sent again when the server goes away: any API has what it asks for.
 */
export class McpClient {
  readonly #find: () => ServerAddress;
  readonly #settings: ClientSettings;
  #server: ServerAddress;
  #hasAnswered = false;
  /** When the waiting for a server that is away ends; null: it is there. */
  #giveUpAt: number | null = null;

  /** @param find where the server is by now: one that is started again may have another port */
  constructor(find: () => ServerAddress, settings: ClientSettings) {
    this.#find = find;
    this.#settings = settings;
    this.#server = find();
  }

  get server(): ServerAddress {
    return this.#server;
  }

  /** It answered once, and does not now. */
  get isAway(): boolean {
    return this.#giveUpAt !== null;
  }

  /**
   * @returns the result
   * @throws {ServerError} the server said no
   * @throws {AwayError} nobody answers
   * @throws {CliError} the server does not admit us, or what answers is no MCP server
   */
  async request(method: string, params: Json, options: RequestOptions = {}): Promise<Json> {
    const { isRepeatable = method !== 'tools/call' } = options;
    return this.#patiently(isRepeatable, options.signal, () => this.#once(method, params, options));
  }

  /**
   * What stands beside the endpoint, such as `tasks/ID/result`, as the same caller. It is asked for once.
   * @throws {AwayError}
   * @throws {CliError} the server does not admit us
   */
  download(path: string, signal: AbortSignal): Promise<Response> {
    return this.#patiently(false, signal, async () => {
      const { url, token } = this.#server;
      const headers = token === null ? {} : { Authorization: `Bearer ${token}` };
      const response = await this.#fetch(new URL(path, url), { headers }, signal);
      await this.#refuse(response);
      return response;
    });
  }

  async #patiently<T>(
    isRepeatable: boolean,
    signal: AbortSignal | undefined,
    attempt: () => Promise<T>,
  ): Promise<T> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      try {
        const result = await attempt();
        this.#back();
        return result;
      } catch (error) {
        if (!(error instanceof AwayError)) this.#back();
        else if (isRepeatable && this.#hasAnswered && this.#isPatient(error)) {
          await this.#pause(pauseMs, signal);
          continue;
        } else if (!this.#hasAnswered) throw neverThere(error);
        throw error;
      }
    }
  }

  #back(): void {
    if (this.#giveUpAt !== null) this.#settings.say(`${this.#server.url} answers again`);
    this.#giveUpAt = null;
    this.#hasAnswered = true;
  }

  #isPatient(error: AwayError): boolean {
    const { patienceMs, say, stop } = this.#settings;
    if (stop.aborted) return false;
    if (this.#giveUpAt === null) {
      this.#giveUpAt = performance.now() + patienceMs;
      if (patienceMs > 0) say(`${error.message}; waiting for it, ${patienceMs / 1_000} s at most`);
    }
    return performance.now() < this.#giveUpAt;
  }

  async #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const { stop } = this.#settings;
    await sleep(ms, undefined, {
      signal: signal === undefined ? stop : AbortSignal.any([stop, signal]),
    });
    const found = this.#find();
    // Another server than the one that was asked knows nothing of its tasks.
    if (found.source === this.#server.source) this.#server = found;
  }

  async #once(method: string, params: Json, options: RequestOptions): Promise<Json> {
    const id = randomUUID();
    const response = await this.#send(id, method, params, options);
    await this.#refuse(response);
    const answer = Answer.safeParse(await this.#answer(response, id, options)).data;
    if (answer?.error !== undefined) throw this.#errorOf(answer.error);
    if (answer?.result !== undefined) return answer.result;
    const { url } = this.#server;
    if (AWAY_STATUS.has(response.status)) {
      throw new AwayError(`${url} can not answer now (HTTP status ${response.status})`);
    }
    const path = URL.canParse(url) ? new URL(url).pathname : '';
    const hint = path.endsWith('/mcp') ? '' : `. Is it ${new URL('mcp', `${url}/`).href}?`;
    throw new CliError(
      EXIT.unreachable,
      `${url} answers, but not as an MCP server of ${MODERN_VERSION} does (HTTP status ${response.status})${hint}`,
    );
  }

  #errorOf({ code, message, data }: AnswerError): Error {
    const error = new ServerError(code, message, data);
    const isAway = error.stableCode !== null && AWAY_CODES.has(error.stableCode);
    return isAway ? canNotAnswer(this.#server, message) : error;
  }

  /** @throws {CliError} the answer says that we may not ask */
  async #refuse(response: Response): Promise<void> {
    if (response.status !== 401 && response.status !== 403) return;
    const said = Answer.safeParse(await json(response)).data?.error?.message;
    throw new CliError(
      EXIT.refused,
      `${this.#server.url} does not admit us: ${said ?? `HTTP status ${response.status}`}. Set LONGSHORE_API_KEY, or give --api-key.`,
    );
  }

  async #send(
    id: string,
    method: string,
    params: Json,
    { signal, meta }: RequestOptions,
  ): Promise<Response> {
    const { url, token } = this.#server;
    const body = {
      jsonrpc: '2.0',
      id,
      method,
      params: { ...params, _meta: { ...this.#envelope(), ...meta } },
    };
    return this.#fetch(
      new URL(url),
      {
        method: 'POST',
        headers: {
          ...modernHeaders(readMessage(body)),
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(body),
      },
      signal,
    );
  }

  async #fetch(url: URL, init: RequestInit, signal: AbortSignal | undefined): Promise<Response> {
    const head = new AbortController();
    const abort = (): void => head.abort();
    const timer = setTimeout(abort, HEAD_TIMEOUT_MS);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted === true) abort();
    try {
      return await fetch(url, { ...init, signal: head.signal });
    } catch (cause) {
      signal?.throwIfAborted();
      throw unreachable(this.#server, cause);
    } finally {
      clearTimeout(timer);
    }
  }

  async #answer(response: Response, id: string, options: RequestOptions): Promise<unknown> {
    const type = response.headers.get('content-type') ?? '';
    if (!type.startsWith('text/event-stream')) return json(response);
    for await (const { message } of readMessages(response)) {
      if (isAnswerTo(id, message)) return message;
      const { method, params } = readMessage(message);
      if (method !== null) options.onNotification?.(method, params);
    }
    options.signal?.throwIfAborted();
    throw unreachable(this.#server, new Error('the connection broke before the answer'));
  }

  #envelope(): Json {
    return {
      'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
      'io.modelcontextprotocol/clientInfo': {
        name: 'longshore-cli',
        version: this.#settings.version,
      },
      'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS_EXTENSION]: {} } },
    };
  }
}

export function canNotAnswer({ url }: ServerAddress, why: string): AwayError {
  return new AwayError(`${url} can not answer now: ${why}`);
}

/** @param cause what `fetch` threw */
export function unreachable({ url, source }: ServerAddress, cause: unknown): AwayError {
  const inner = cause instanceof Error ? (cause.cause ?? cause) : cause;
  const reason = inner instanceof Error ? inner.message || inner.name : String(inner);
  return new AwayError(`no answer from ${url} (${source}): ${reason}`, { cause });
}

/** The same of a server that has not answered before: with how to come by one. */
export function neverThere(cause: AwayError): AwayError {
  return new AwayError(
    `${cause.message}. Start a server with "longshore start", or say where one is with --url or LONGSHORE_URL.`,
    { cause },
  );
}

async function json(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return null;
  }
}
