import * as mcp from '@longshore/testing/mcp';
import { type Answer, type Surroundings, untilAnswered } from './client.ts';
import { exchange } from './wire.ts';

const ABILITIES = { elicitation: { form: {} } };

/** 2026-07-28: nothing ties two requests together. */
export class ModernClient {
  readonly #around: Surroundings;
  readonly #plain: mcp.ModernClient;
  readonly #withTasks: mcp.ModernClient;

  constructor(around: Surroundings, key: string) {
    this.#around = around;
    this.#plain = new mcp.ModernClient(around.urls, ABILITIES).withAuthorization(`Bearer ${key}`);
    this.#withTasks = this.#plain.withTasks(ABILITIES);
  }

  /** @param tasks whether the client declares the tasks extension */
  request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    { tasks = true }: { tasks?: boolean } = {},
  ): Promise<Answer> {
    const { _meta, ...own } = params;
    const client = tasks ? this.#withTasks : this.#plain;
    const { body, headers } = client.build(method, own, Object(_meta));
    const { signal } = this.#around;
    const id = Number(body['id']);
    return untilAnswered(this.#around, id, async (url) => {
      const { answer } = await exchange({ url, method: 'POST', headers, body, id, signal });
      return answer ?? {};
    });
  }
}
