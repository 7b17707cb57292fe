import {
  type AnswerOf,
  type CallOf,
  OPERATIONS,
  type OperationName,
  operatorClient,
} from '@longshore/operator';
import { waitFor } from '@longshore/testing';
import type { Stack } from './stack.ts';

type Task = AnswerOf<'GET /tasks/{id}'>;

/** The operator API as the dashboard and the command line call it; each answer must be what its schema says. */
export class OperatorApi {
  /** Of the API: `http://127.0.0.1:3000/api/v1`. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;

  /** @param mcpUrl of the MCP endpoint of the same server */
  constructor(mcpUrl: string, key: string | null) {
    this.base = mcpUrl.replace(/\/mcp$/, '/api/v1');
    this.headers = key === null ? {} : { authorization: `Bearer ${key}` };
  }

  async call<Name extends OperationName>(
    name: Name,
    call: CallOf<Name> = {} as CallOf<Name>,
  ): Promise<AnswerOf<Name>> {
    const client = operatorClient({ base: this.base, headers: this.headers });
    const answer = await (client as (name: string, call: unknown) => Promise<unknown>)(name, call);
    const schema = OPERATIONS[name].answer;
    return (typeof schema === 'string' ? answer : schema.parse(answer)) as AnswerOf<Name>;
  }

  /** Asks with whatever it likes. @returns the HTTP status, and the code of the error if it is one */
  async status(
    method: string,
    route: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<[status: number, code: string]> {
    const response = await fetch(`${this.base}${route}`, {
      method,
      headers: { ...this.headers, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json().catch(() => null)) as { error?: { code: string } } | null;
    return [response.status, answer?.error?.code ?? ''];
  }

  /** Runs a tool as a task of the caller's. @returns its id */
  async run(tool: string, args: Record<string, unknown> = {}): Promise<string> {
    const { task } = await this.call('POST /tools/{name}/run', {
      params: { name: tool },
      body: { arguments: args },
    });
    return task.id;
  }

  /** Waits until the task is in the phase. */
  async inPhase(id: string, phase: Task['phase']): Promise<Task> {
    return waitFor(
      async () => {
        const task = await this.call('GET /tasks/{id}', { params: { id } });
        return task.phase === phase ? task : null;
      },
      { what: `task ${id} is ${phase}`, timeoutMs: 30_000 },
    );
  }

  /** The first text of its result. */
  async text(id: string): Promise<string> {
    const { payload } = await this.call('GET /tasks/{id}/outcome', { params: { id } });
    const [block] = payload['content'] as { text?: string }[];
    return block?.text ?? '';
  }
}

/** Who acts, and on what. */
export interface OperatorStage {
  readonly stack: Stack;
  /** May do everything. */
  readonly operator: OperatorApi;
  /** Sees everything. */
  readonly viewer: OperatorApi;
  /** Two clients, who see what is theirs. */
  readonly ada: OperatorApi;
  readonly bob: OperatorApi;
  readonly adasKey: string;
}
