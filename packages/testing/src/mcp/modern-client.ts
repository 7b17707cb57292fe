import { readAnswer, type WireAnswer } from './wire-client.ts';
import { WireStream } from './wire-events.ts';

export const TASKS = 'io.modelcontextprotocol/tasks';
export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

const REQUEST_TIMEOUT_MS = 30_000;

type Json = Record<string, unknown>;

/** A request of the modern era in every part, so that a test can bend one. */
export interface ModernRequest {
  readonly body: Json;
  readonly headers: Record<string, string>;
}

/**
 * 2026-07-28 by hand. Nothing ties two requests together, so each goes to the next replica in turn unless a
 * test says otherwise.
 */
export class ModernClient {
  readonly #urls: readonly string[];
  readonly capabilities: Json;
  #authorization: Record<string, string> = {};
  #turn = 0;
  #lastId = 0;

  constructor(urls: readonly string[], capabilities: Json = {}) {
    this.#urls = [...urls];
    this.capabilities = capabilities;
  }

  /** The same server for a client that declares something else. */
  declaring(capabilities: Json): ModernClient {
    const client = new ModernClient(this.#urls, capabilities);
    client.#authorization = this.#authorization;
    return client;
  }

  /** The same client with an Authorization header; null: without one. */
  withAuthorization(value: string | null): ModernClient {
    const client = new ModernClient(this.#urls, this.capabilities);
    client.#authorization = value === null ? {} : { authorization: value };
    return client;
  }

  /** One that declares the tasks extension, and more. */
  withTasks(more: Json = {}): ModernClient {
    return this.declaring({ ...more, extensions: { [TASKS]: {} } });
  }

  /** The same client of one server only. */
  at(url: string): ModernClient {
    return new ModernClient([url], this.capabilities);
  }

  /** What a correct client sends. */
  build(method: string, params: Json = {}, meta: Json = {}): ModernRequest {
    this.#lastId += 1;
    const name = params['name'] ?? params['uri'] ?? params['taskId'];
    return {
      body: {
        jsonrpc: '2.0',
        id: this.#lastId,
        method,
        params: {
          ...params,
          _meta: {
            [META.version]: '2026-07-28',
            [META.capabilities]: this.capabilities,
            ...meta,
          },
        },
      },
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...this.#authorization,
        ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      },
    };
  }

  post(
    { body, headers }: ModernRequest,
    options: { replica?: number; signal?: AbortSignal } = {},
  ): Promise<Response> {
    return fetch(this.#url(options.replica), {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: options.signal ?? AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
  }

  async send(request: ModernRequest, options: { replica?: number } = {}): Promise<WireAnswer> {
    return readAnswer(await this.post(request, options));
  }

  request(
    method: string,
    params: Json = {},
    options: { replica?: number; meta?: Json } = {},
  ): Promise<WireAnswer> {
    return this.send(this.build(method, params, options.meta), options);
  }

  /** The result of a request; fails the test when it is an error. */
  async result(
    method: string,
    params: Json = {},
    options: { replica?: number; meta?: Json } = {},
  ): Promise<Json> {
    const { last } = await this.request(method, params, options);
    if (last.result === undefined) throw new Error(`${method}: ${JSON.stringify(last)}`);
    return last.result;
  }

  /** HTTP status and JSON-RPC error of a request; fails the test when there is none. */
  async error(
    method: string,
    params: Json = {},
    options: { replica?: number; meta?: Json } = {},
  ): Promise<{ status: number; code: number; message: string; data?: unknown }> {
    const { status, last } = await this.request(method, params, options);
    if (last.error === undefined)
      throw new Error(`${method}: no error but ${JSON.stringify(last)}`);
    return { status, ...last.error };
  }

  /** Calls a tool that becomes a task. */
  async startTask(name: string, args: Json = {}): Promise<string> {
    const { taskId } = await this.result('tools/call', { name, arguments: args });
    if (typeof taskId !== 'string') throw new Error(`${name} became no task`);
    return taskId;
  }

  /** A request whose answer stays open. */
  async open(
    method: string,
    params: Json = {},
    options: { replica?: number; meta?: Json } = {},
  ): Promise<WireStream> {
    const abort = new AbortController();
    const request = this.build(method, params, options.meta);
    const response = await this.post(request, { ...options, signal: abort.signal });
    if (response.status !== 200) throw new Error(`${method} answered ${response.status}`);
    return new WireStream(response, abort);
  }

  #url(replica: number | undefined): string {
    const index = replica ?? this.#turn++ % this.#urls.length;
    const url = this.#urls[index];
    if (url === undefined) throw new Error(`no replica ${index}`);
    return url;
  }
}
