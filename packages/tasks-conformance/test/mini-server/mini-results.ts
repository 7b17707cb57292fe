import type { ServerResponse } from 'node:http';
import type { JsonRpcMessage } from '../../src/wire/json-rpc.ts';
import type { MiniMethods } from './mini-methods.ts';
import type { MiniSession } from './mini-session.ts';
import type { MiniStream } from './mini-stream.ts';
import { MiniTask, RELATED_TASK } from './mini-task.ts';

/** A tasks/result and the way back. */
export interface ResultExchange {
  readonly response: ServerResponse;
  readonly body: JsonRpcMessage;
  /** What the server makes of an answer before it goes out. */
  readonly answer: (message: JsonRpcMessage) => JsonRpcMessage;
}

/** tasks/result: a JSON answer for a task that has ended, a stream that waits for one that has not. */
export class MiniResults {
  readonly #methods: MiniMethods;

  constructor(methods: MiniMethods) {
    this.#methods = methods;
  }

  async answer(session: MiniSession, exchange: ResultExchange): Promise<void> {
    const { body, response } = exchange;
    const id = body.id ?? 0;
    const task = this.#methods.find(session, 'result', body.params ?? {});
    const isOver = !(task instanceof MiniTask) || task.isTerminal;
    if (isOver) {
      const message = task instanceof MiniTask ? fetch(task) : task;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', ...exchange.answer({ ...message, id }) }));
      return;
    }
    const stream = session.newStream('post');
    stream.open(response, {
      isLazy: session.isOn('streams only when needed'),
      onClose: () => {
        if (session.isOn('a disconnect cancels')) task.move('cancelled');
      },
    });
    stream.prime();
    task.waits.push(stream);
    task.flush();
    if (session.isOn('streams are cut short')) stream.cut();
    await this.#wait(session, task, stream, exchange);
  }

  /** Until the task has ended or the client has withdrawn the request. */
  async #wait(
    session: MiniSession,
    task: MiniTask,
    stream: MiniStream,
    exchange: ResultExchange,
  ): Promise<void> {
    const id = exchange.body.id ?? 0;
    const withdrawn = new Promise<'withdrawn'>((resolve) => {
      // Without sessions nobody knows whose request it is.
      if (!session.isOn('no sessions')) session.withdrawals.set(id, () => resolve('withdrawn'));
    });
    const how = await Promise.race([task.ended, withdrawn, ...tooEarly(session, task)]);
    session.withdrawals.delete(id);
    if (how === 'withdrawn') {
      if (session.isOn('a withdrawal cancels the task')) task.move('cancelled');
      if (!session.isOn('withdrawn requests are answered')) return stream.end();
    }
    const message = exchange.answer({ ...outcomeOf(task), id });
    stream.answer(message);
    if (session.isOn('responses on GET')) session.leak(message);
    if (!session.isOn('streams stay open')) stream.end();
  }
}

/** The outcome of a task that has ended. */
function fetch(task: MiniTask): JsonRpcMessage {
  task.fetches += 1;
  const isGone =
    task.fetches > 1 &&
    task.toolName === 'conformance_slow' &&
    task.session.isOn('results are given once');
  return isGone ? { error: { code: -32602, message: 'Task not found' } } : outcomeOf(task);
}

/** What the call would have answered, with the task it belongs to. */
function outcomeOf(task: MiniTask): JsonRpcMessage {
  const outcome = task.outcome ?? { result: { content: [] } };
  if (outcome.result === undefined) return outcome;
  return { result: { ...outcome.result, _meta: { [RELATED_TASK]: { taskId: task.id } } } };
}

/** What ends a wait that should go on. */
function tooEarly(session: MiniSession, task: MiniTask): Promise<void>[] {
  const isLong = Number(task.args['ms']) > 1_000;
  if (isLong && session.isOn('tasks/result does not wait')) return [Promise.resolve()];
  return session.isOn('input_required ends the wait') ? [task.asked] : [];
}
