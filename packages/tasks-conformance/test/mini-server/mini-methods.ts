import { setTimeout } from 'node:timers/promises';
import type { JsonRpcMessage } from '../../src/wire/json-rpc.ts';
import { MiniRunner } from './mini-runner.ts';
import type { MiniSession } from './mini-session.ts';
import { MiniTask, RELATED_TASK } from './mini-task.ts';
import { MINI_TOOLS, type MiniTool } from './mini-tools.ts';

const PAGE_SIZE = 7;
const MAX_TTL_MS = 3_600_000;
/** More than half of the short ttl of the checks. */
const CREATION_MS = 400;
const LATE_CREATE_MS = 200;

type Params = Readonly<Record<string, unknown>>;

const failure = (code: number, message: string): JsonRpcMessage => ({ error: { code, message } });

/** The methods about tools and tasks but for tasks/result: what they answer. */
export class MiniMethods {
  readonly runner = new MiniRunner();
  readonly tasks: MiniTask[] = [];
  #lastSerial = 0;
  readonly #usedCursors = new Set<string>();

  async call(
    session: MiniSession,
    params: Params,
    requestId: string | number,
  ): Promise<JsonRpcMessage> {
    const tool = MINI_TOOLS.find(({ name }) => name === params['name']);
    if (tool === undefined) return failure(-32602, `Unknown tool: ${String(params['name'])}`);
    const args = (params['arguments'] ?? {}) as Params;
    const knowsTasks = session.version === '2025-11-25' || session.isOn('tasks at any revision');
    const isSlow = tool.name === 'conformance_slow';
    const asked = params['task'] !== undefined || (session.isOn('every call is a task') && isSlow);
    if (!(knowsTasks && asked)) {
      if (tool.support === 'required' && !session.isOn('required tools run anyway')) {
        return failure(-32601, `${tool.name} runs only as a task`);
      }
      return this.runner.runPlain(tool, args, session);
    }
    if (tool.support === 'forbidden' && !session.isOn('forbidden tools run anyway')) {
      return failure(-32601, `${tool.name} does not run as a task`);
    }
    if (tool.support === 'required' && session.isOn('required tools answer directly')) {
      return this.runner.runPlain(tool, args, session);
    }
    return this.#create(session, tool, args, params, requestId);
  }

  /** tasks/get, tasks/cancel */
  async operate(
    session: MiniSession,
    operation: 'get' | 'cancel',
    params: Params,
  ): Promise<JsonRpcMessage> {
    const task = this.find(session, operation, params);
    if (!(task instanceof MiniTask)) return task;
    return operation === 'get' ? this.#get(task) : this.#cancel(task);
  }

  list(session: MiniSession, params: Params): JsonRpcMessage {
    const { cursor } = params;
    const [, place] = /^after-(\d+)$/.exec(String(cursor)) ?? [];
    const isUsed = session.isOn('cursors work once') && this.#usedCursors.has(`${cursor}`);
    const isValid = cursor === undefined || (place !== undefined && !isUsed);
    if (!isValid && !session.isOn('any cursor will do')) return failure(-32602, 'Invalid cursor');
    if (cursor !== undefined) this.#usedCursors.add(`${cursor}`);
    const own = this.tasks.filter(
      (task) =>
        !task.isExpired() &&
        (task.session.principal === session.principal || session.isOn('list of everybody')),
    );
    const rest = own.filter(({ serial }) => serial > Number(place ?? 0));
    const page = rest.slice(0, PAGE_SIZE);
    return {
      result: {
        tasks: page.map((task) => task.describe()),
        ...(rest.length > PAGE_SIZE ? { nextCursor: `after-${page.at(-1)?.serial}` } : {}),
      },
    };
  }

  /** The task an operation is about, or the error that says there is none. */
  find(
    session: MiniSession,
    operation: 'get' | 'result' | 'cancel',
    params: Params,
  ): MiniTask | JsonRpcMessage {
    const misled = session.isOn(`trusts metadata in ${operation}`);
    const meta = (params['_meta'] as Params | undefined)?.[RELATED_TASK] as Params | undefined;
    const id = (misled ? meta?.['taskId'] : undefined) ?? params['taskId'];
    const task = this.tasks.find((other) => other.id === id);
    if (task === undefined) return failure(-32602, 'Task not found');
    if (task.isExpired()) {
      return session.isOn('expired is an internal error')
        ? failure(-32603, 'Task has expired')
        : failure(-32602, 'Task not found');
    }
    const isOwn = task.session.principal === session.principal;
    if (isOwn || session.isOn(`${operation} for everybody`)) return task;
    return failure(-32602, session.isOn('foreign tasks are told') ? 'Not yours' : 'Task not found');
  }

  async #create(
    session: MiniSession,
    tool: MiniTool,
    args: Params,
    params: Params,
    requestId: string | number,
  ): Promise<JsonRpcMessage> {
    const wish = (params['task'] ?? {}) as Params;
    const { ttl, taskId } = wish;
    const token = (params['_meta'] as Params | undefined)?.['progressToken'];
    const same = this.#twin(session, tool, args, token);
    if (same !== null) return created(same);
    if (session.isOn('takes time to create tasks')) await setTimeout(CREATION_MS);
    const isLate = session.isOn('create when done') && tool.name === 'conformance_slow';
    const most = session.isOn('any ttl') ? Number.POSITIVE_INFINITY : MAX_TTL_MS;
    const task = new MiniTask({
      id: this.#newId(session, taskId),
      serial: this.#nextSerial(),
      session,
      requestId,
      toolName: tool.name,
      args: isLate ? { ...args, ms: Math.min(Number(args['ms']), LATE_CREATE_MS) } : args,
      token: token as string | number | undefined,
      ttl: Math.min(typeof ttl === 'number' ? ttl : MAX_TTL_MS, most),
    });
    this.tasks.push(task);
    session.tasks.push(task);
    const answer = created(task);
    // After the answer is on its way, as a queue would have it.
    const run = new Promise((resolve) => setImmediate(resolve)).then(() =>
      this.runner.runTask(task, tool),
    );
    if (isLate) await run;
    return answer;
  }

  #twin(session: MiniSession, tool: MiniTool, args: Params, token: unknown): MiniTask | null {
    if (!session.isOn('equal calls share a task') || !(Number(args['ms']) > 0)) return null;
    const found = session.tasks.find(
      (task) =>
        !task.isTerminal &&
        task.toolName === tool.name &&
        task.token === token &&
        JSON.stringify(task.args) === JSON.stringify(args),
    );
    return found ?? null;
  }

  #nextSerial(): number {
    this.#lastSerial += 1;
    return this.#lastSerial;
  }

  #newId(session: MiniSession, proposed: unknown): string | number {
    if (session.isOn('numbers for ids')) return Math.random();
    if (session.isOn('ids are counted')) return `task-${this.#lastSerial + 1}`;
    if (session.isOn('ids as proposed') && typeof proposed === 'string') return proposed;
    return crypto.randomUUID();
  }

  #get(task: MiniTask): JsonRpcMessage {
    const isWaitedFor = task.waits.some((stream) => stream.isOpen);
    const isPlain = task.toolName === 'conformance_slow' && task.token === undefined;
    if (task.session.isOn('busy while waited for') && isWaitedFor && isPlain) {
      return failure(-32000, 'Busy');
    }
    if (task.isTerminal) task.looks += 1;
    const wavers = task.session.isOn('the end is not the end') && task.looks === 3;
    return { result: { ...task.describe(), ...(wavers ? { status: 'working' } : {}) } };
  }

  #cancel(task: MiniTask): JsonRpcMessage {
    const { session } = task;
    if (task.isTerminal) {
      if (session.isOn(`cancels ${task.status as 'completed' | 'failed' | 'cancelled'} tasks`)) {
        return { result: task.describe() };
      }
      return failure(-32602, `Cannot cancel task: already ${task.status}`);
    }
    task.move('cancelled', failure(-32000, 'Task was cancelled'));
    if (!session.isOn('cancelled tasks complete')) task.abort.abort();
    if (session.isOn('cancelled tasks are deleted')) {
      this.tasks.splice(this.tasks.indexOf(task), 1);
    }
    return { result: task.describe() };
  }
}

function created(task: MiniTask): JsonRpcMessage {
  return {
    result: {
      task: { ...task.describe(), status: 'working' },
      _meta: { 'io.modelcontextprotocol/model-immediate-response': 'It runs.' },
    },
  };
}
