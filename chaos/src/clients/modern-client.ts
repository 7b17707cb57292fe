import { type Answer, type Surroundings, untilAnswered } from './client.ts';
import { exchange } from './wire.ts';

const VERSION = '2026-07-28';
const META = 'io.modelcontextprotocol';

/** 2026-07-28: nothing ties two requests together. */
export class ModernClient {
  readonly #around: Surroundings;
  readonly #key: string;
  #lastId = 0;

  constructor(around: Surroundings, key: string) {
    this.#around = around;
    this.#key = key;
  }

  /** @param tasks whether the client declares the tasks extension */
  request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    { tasks = true }: { tasks?: boolean } = {},
  ): Promise<Answer> {
    this.#lastId += 1;
    const id = this.#lastId;
    const name = params['name'] ?? params['taskId'];
    const capabilities = {
      elicitation: { form: {} },
      ...(tasks ? { extensions: { [`${META}/tasks`]: {} } } : {}),
    };
    const body = {
      jsonrpc: '2.0',
      id,
      method,
      params: {
        ...params,
        _meta: {
          ...Object(params['_meta']),
          [`${META}/protocolVersion`]: VERSION,
          [`${META}/clientCapabilities`]: capabilities,
        },
      },
    };
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${this.#key}`,
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    };
    const { signal } = this.#around;
    return untilAnswered(this.#around, id, async (url) => {
      const { answer } = await exchange({ url, method: 'POST', headers, body, id, signal });
      return answer ?? {};
    });
  }
}
