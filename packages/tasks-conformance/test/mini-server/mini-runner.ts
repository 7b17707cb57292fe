import type { JsonRpcMessage } from '../../src/wire/json-rpc.ts';
import type { MiniSession } from './mini-session.ts';
import { type MiniTask, RELATED_TASK } from './mini-task.ts';
import type { MiniContext, MiniTool } from './mini-tools.ts';

const INTERNAL_ERROR: JsonRpcMessage = { error: { code: -32603, message: 'Internal error' } };
const LATE_PROGRESS_MS = 20;
const LATE_PROGRESS_TIMES = 50;

/** A question to a client, by the id it was asked under. */
export interface PendingQuestion {
  readonly session: MiniSession;
  readonly method: string;
  readonly answer: (message: JsonRpcMessage) => void;
}

/** Runs tools, as tasks or as plain calls. */
export class MiniRunner {
  readonly pending = new Map<string | number, PendingQuestion>();

  /** Runs the task to its end, which it always reaches. */
  async runTask(task: MiniTask, tool: MiniTool): Promise<void> {
    const outcome = await this.#outcomeOf(tool, task.args, this.#contextOf(task));
    const isError = outcome.result?.['isError'] === true;
    const off = (name: 'tool errors complete' | 'protocol errors complete') =>
      task.session.isOn(name);
    const failed =
      (isError && !off('tool errors complete')) ||
      (outcome.error !== undefined && !off('protocol errors complete'));
    task.move(failed ? 'failed' : 'completed', outcome, failed ? 'It failed.' : undefined);
    if (task.session.isOn('progress after the end')) this.#progressOn(task);
  }

  /** Runs a plain call, which has no way to ask. */
  runPlain(
    tool: MiniTool,
    args: Readonly<Record<string, unknown>>,
    session: MiniSession,
  ): Promise<JsonRpcMessage> {
    return this.#outcomeOf(tool, args, {
      signal: new AbortController().signal,
      isOn: (name) => session.isOn(name),
      latestArgs: () => args,
      progress: () => {},
      log: () => {},
      ask: () => Promise.reject(new Error('not in a plain call')),
    });
  }

  async #outcomeOf(
    tool: MiniTool,
    args: Readonly<Record<string, unknown>>,
    context: MiniContext,
  ): Promise<JsonRpcMessage> {
    try {
      return await tool.run(args, context);
    } catch {
      return INTERNAL_ERROR;
    }
  }

  #contextOf(task: MiniTask): MiniContext {
    const { session } = task;
    const _meta = { [RELATED_TASK]: { taskId: task.id } };
    return {
      signal: task.abort.signal,
      isOn: (name) => session.isOn(name),
      latestArgs: () => session.tasks.at(-1)?.args ?? {},
      progress: (progress, total) => {
        if (task.isTerminal) return;
        const progressToken =
          task.token ?? (session.isOn('tokens nobody gave') ? String(task.id) : undefined);
        if (progressToken === undefined) return;
        const params = { progressToken, progress, total, _meta };
        task.send({ method: 'notifications/progress', params });
      },
      log: (data) => {
        task.send({ method: 'notifications/message', params: { level: 'info', data, _meta } });
      },
      ask: (method, params) => this.#ask(task, method, { ...params, _meta }),
    };
  }

  async #ask(task: MiniTask, method: string, params: object): Promise<JsonRpcMessage> {
    const { session } = task;
    const capability = method.split('/')[0] ?? '';
    if (session.capabilities[capability] === undefined && !session.isOn('asks anybody')) {
      return { error: { code: -32601, message: `the client has no ${capability}` } };
    }
    const id = crypto.randomUUID();
    const answered = new Promise<JsonRpcMessage>((answer) => {
      this.pending.set(id, { session, method, answer });
    });
    if (!session.isOn('works while it waits for input')) task.move('input_required');
    if (!session.isOn('questions kept back')) task.send({ id, method, params: { ...params } });
    const answer = await answered;
    if (!session.isOn('works while it waits for input')) task.move('working');
    return answer;
  }

  #progressOn(task: MiniTask): void {
    if (task.token === undefined) return;
    let times = 0;
    const timer = setInterval(() => {
      times += 1;
      if (times === LATE_PROGRESS_TIMES) clearInterval(timer);
      task.send({
        method: 'notifications/progress',
        params: {
          progressToken: task.token,
          progress: 100 + times,
          _meta: { [RELATED_TASK]: { taskId: task.id } },
        },
      });
    }, LATE_PROGRESS_MS).unref();
  }
}
