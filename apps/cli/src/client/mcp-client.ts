import { randomUUID } from 'node:crypto';
import { MODERN_VERSION, TASKS_EXTENSION } from '@longshore/protocol';
import * as z from 'zod';
import { readMessages } from '../stdio/event-messages.ts';
import { isAnswerTo, modernHeaders, readMessage } from '../stdio/message-kinds.ts';
import { CliError, EXIT } from './cli-error.ts';
import type { ServerAddress } from './server-address.ts';

type Json = Readonly<Record<string, unknown>>;

/** For the head of an answer; streams may take as long as they want. */
const HEAD_TIMEOUT_MS = 30_000;

const Answer = z.object({
  result: z.record(z.string(), z.unknown()).optional(),
  error: z
    .object({ code: z.number(), message: z.string(), data: z.unknown().optional() })
    .optional(),
});

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Hears the notifications that come before the answer. */
  readonly onNotification?: (method: string, params: Json) => void;
  readonly meta?: Json;
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
 */
export class McpClient {
  readonly #server: ServerAddress;
  readonly #version: string;

  constructor(server: ServerAddress, version: string) {
    this.#server = server;
    this.#version = version;
  }

  /**
   * @returns the result
   * @throws {ServerError} the server said no
   * @throws {CliError} nobody answers, the server does not admit us, or what answers is no MCP server
   */
  async request(method: string, params: Json, options: RequestOptions = {}): Promise<Json> {
    const id = randomUUID();
    const response = await this.#send(id, method, params, options);
    if (response.status === 401 || response.status === 403) {
      const said = Answer.safeParse(await json(response)).data?.error?.message;
      throw new CliError(
        EXIT.refused,
        `${this.#server.url} does not admit us: ${said ?? `HTTP status ${response.status}`}. Set LONGSHORE_API_KEY, or give --api-key.`,
      );
    }
    const answer = Answer.safeParse(await this.#answer(response, id, options)).data;
    if (answer?.error !== undefined) {
      const { code, message, data } = answer.error;
      throw new ServerError(code, message, data);
    }
    if (answer?.result !== undefined) return answer.result;
    throw new CliError(
      EXIT.unreachable,
      `${this.#server.url} answers, but not as an MCP server of ${MODERN_VERSION} does (HTTP status ${response.status})`,
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
    const head = new AbortController();
    const abort = (): void => head.abort();
    const timer = setTimeout(abort, HEAD_TIMEOUT_MS);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted === true) abort();
    try {
      return await fetch(url, {
        method: 'POST',
        headers: {
          ...modernHeaders(readMessage(body)),
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(body),
        signal: head.signal,
      });
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
      'io.modelcontextprotocol/clientInfo': { name: 'longshore-cli', version: this.#version },
      'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS_EXTENSION]: {} } },
    };
  }
}

function unreachable({ url, source }: ServerAddress, cause: unknown): CliError {
  const inner = cause instanceof Error ? (cause.cause ?? cause) : cause;
  const reason = inner instanceof Error ? inner.message || inner.name : String(inner);
  return new CliError(
    EXIT.unreachable,
    `no answer from ${url} (${source}): ${reason}. Start a server with "longshore start", or say where one is with --url or LONGSHORE_URL.`,
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
