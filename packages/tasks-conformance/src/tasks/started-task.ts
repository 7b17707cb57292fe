import type { RequirementId } from '../manifest/requirements.ts';
import { verify } from '../manifest/violation.ts';
import type { Exchange } from '../wire/exchange.ts';
import { isObject, type JsonObject, show } from '../wire/json.ts';
import type { JsonRpcMessage, RequestId } from '../wire/json-rpc.ts';
import type { Session } from '../wire/session.ts';
import { inTime, pause, type Wait } from '../wire/waiting.ts';

const TERMINAL: readonly unknown[] = ['completed', 'failed', 'cancelled'];

export function isTerminal(status: unknown): boolean {
  return TERMINAL.includes(status);
}

/** A task the runner has created, by its handle. */
export class StartedTask {
  readonly session: Session;
  readonly id: string;
  /** The task of the CreateTaskResult. */
  readonly created: JsonObject;
  /** The whole CreateTaskResult. */
  readonly result: JsonObject;
  /** Id of the request that created it. */
  readonly requestId: RequestId;
  readonly #pollMs: number;
  #ended = false;

  private constructor(
    session: Session,
    requestId: RequestId,
    result: JsonObject,
    task: JsonObject,
    pollMs: number,
  ) {
    this.session = session;
    this.requestId = requestId;
    this.result = result;
    this.created = task;
    // A number is wrong, which is `tasks-id-string`; it serves as a handle all the same.
    this.id = task['taskId'] as string;
    this.#pollMs = pollMs;
  }

  /** @throws {Violation} tasks-create-result */
  static async create(session: Session, params: object, pollMs: number): Promise<StartedTask> {
    const exchange = session.request('tools/call', params);
    const answer = await inTime(exchange.response, {
      signal: session.signal,
      what: 'a CreateTaskResult',
      breaks: 'tasks-create-result',
    });
    const task = answer.result?.['task'];
    verify(
      answer.result !== undefined && isObject(task) && task['taskId'] !== undefined,
      'tasks-create-result',
      `no CreateTaskResult for ${show(params)} but ${show(answer.result ?? answer.error)}`,
    );
    return new StartedTask(session, exchange.id, answer.result, task, pollMs);
  }

  /** Whether a terminal status was seen. */
  get ended(): boolean {
    return this.#ended;
  }

  /**
   * tasks/get.
   * @param wait what is to be said when no answer comes
   * @throws {Violation} tasks-get-task when there is no flat task
   */
  async get(wait: Partial<Wait> = {}): Promise<JsonObject> {
    const { result, error } = await this.session.call('tasks/get', { taskId: this.id }, wait);
    verify(
      result !== undefined && result['taskId'] === this.id,
      'tasks-get-task',
      `tasks/get of ${this.id} answered ${show(result ?? error)}`,
    );
    this.#ended ||= isTerminal(result['status']);
    return result;
  }

  /** tasks/result, without waiting for the answer. */
  request(): Exchange {
    return this.session.request('tasks/result', { taskId: this.id });
  }

  /** tasks/result: its answer, which may be an error. @throws {Violation} when none comes */
  async outcome(): Promise<JsonRpcMessage> {
    const answer = await this.session.call(
      'tasks/result',
      { taskId: this.id },
      { breaks: 'tasks-result-terminal' },
    );
    return answer;
  }

  /** tasks/cancel: its answer, which may be an error. */
  async cancel(): Promise<JsonRpcMessage> {
    const answer = await this.session.call('tasks/cancel', { taskId: this.id });
    this.#ended ||= answer.result !== undefined;
    return answer;
  }

  /** Asks tasks/get until the task `matches`. @throws {Violation} naming `what` */
  async until(
    matches: (task: JsonObject) => boolean,
    what: string,
    breaks?: RequirementId,
  ): Promise<JsonObject> {
    const { signal } = this.session;
    let task = await this.get({ what, breaks });
    while (!matches(task)) {
      const wait = { what: `${what}; it is ${String(task['status'])}`, breaks };
      await inTime(pause(this.#pollMs, new AbortController().signal), { signal, ...wait });
      task = await this.get(wait);
    }
    return task;
  }

  untilEnded(): Promise<JsonObject> {
    return this.until(({ status }) => isTerminal(status), 'the task to end', 'tasks-completed');
  }
}
