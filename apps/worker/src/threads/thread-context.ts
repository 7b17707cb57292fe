import type { JsonObject, LogLevel } from '@longshore/core';
import {
  type CallOptions,
  type MapRun,
  type QuestionAnswer,
  type ToolContext,
  ToolError,
  type ToolLog,
} from '@longshore/plugin';
import {
  type BatchAbilities,
  createClock,
  createFiles,
  createQuestions,
  type FileSink,
  isTool,
} from '@longshore/plugin/host';
import { toJsonObject, toJsonValue } from '../json/to-json-value.ts';
import { revivedError } from './portable-error.ts';
import { countSent } from './run-control.ts';
import type { RunCall, RunEnd, RunMessage, RunOrder, RunReply } from './thread-messages.ts';
import { createThreadSignal, type ThreadSignal } from './thread-signal.ts';

/** Half the pause between two progress messages to clients, which the worker keeps. */
const REPORT_INTERVAL_MS = 50;

interface WaitingCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** The thread's end of a run: the tool's context, every ability of which is a message to the worker. */
export class ThreadContext {
  readonly ctx: ToolContext;
  readonly #order: RunOrder;
  readonly #signal: ThreadSignal;
  readonly #calls = new Map<number, WaitingCall>();
  readonly #progress: LatestSender<Extract<RunMessage, { kind: 'progress' }>>;
  readonly #status: LatestSender<Extract<RunMessage, { kind: 'status' }>>;
  #highest = Number.NEGATIVE_INFINITY;
  #lastCall = 0;
  #isClosed = false;

  constructor(order: RunOrder) {
    this.#order = order;
    this.#signal = createThreadSignal(order.control);
    this.#progress = new LatestSender(REPORT_INTERVAL_MS, (message) => this.#send(message));
    this.#status = new LatestSender(REPORT_INTERVAL_MS, (message) => this.#send(message));
    this.ctx = this.#createContext();
    order.port.on('message', (reply: RunReply) => this.#hear(reply));
  }

  /** Says that from now on it is the tool that takes its time. */
  begin(): void {
    this.#send({ kind: 'began' });
  }

  /** Says how the run ended, as the last thing. What the tool still does is of no effect. */
  end(end: RunEnd): void {
    this.#progress.flush();
    this.#status.flush();
    this.#send({ kind: 'ended', end });
    this.#isClosed = true;
    for (const { reject } of this.#calls.values()) {
      reject(new Error('the attempt has ended'));
    }
    this.#calls.clear();
    this.#order.port.close();
  }

  #createContext(): ToolContext {
    const { client, formsReachUser, ...facts } = this.#order.facts;
    return {
      ...createQuestions({
        client,
        formsReachUser,
        ask: async (question, timeoutMs) =>
          (await this.#call({ kind: 'ask', question, timeoutMs })) as QuestionAnswer,
      }),
      ...this.#batches(),
      ...createFiles({ taskId: facts.taskId, open: (file) => this.#openFile(file) }),
      ...facts,
      ...createClock(this.#signal),
      signal: this.#signal.signal,
      log: this.#log(),
      checkpoint: {
        get: async (key) => toJsonValue(await this.#call({ kind: 'get-checkpoint', key })),
        set: async (key, value) => {
          await this.#call({ kind: 'set-checkpoint', key, value: toJsonValue(value) });
        },
      },
      progress: (done, total, message) => {
        this.#signal.look();
        if (typeof done !== 'number' || !(done > this.#highest)) return;
        this.#highest = done;
        this.#progress.push({
          kind: 'progress',
          done,
          total: typeof total === 'number' ? total : undefined,
          message: typeof message === 'string' ? message : undefined,
        });
      },
      statusMessage: (text) => {
        this.#signal.look();
        if (typeof text === 'string') this.#status.push({ kind: 'status', text });
      },
      resourceUpdated: (uri) => {
        this.#send({ kind: 'resource-updated', uri: typeof uri === 'string' ? uri : null });
      },
    };
  }

  #batches(): BatchAbilities {
    const call = async (what: unknown, args: unknown, options?: CallOptions): Promise<unknown> => {
      const name = isTool(what) ? what.name : what;
      if (typeof name !== 'string') throw new TypeError('ctx.call takes a tool or the name of one');
      return this.#call({ kind: 'call-tool', name, arguments: toJsonObject(args), options });
    };
    return { map: refuseToMap, call } as BatchAbilities;
  }

  async #openFile(facts: { name: string; mimeType: string }): Promise<FileSink> {
    const file = Number(await this.#call({ kind: 'open-file', ...facts }));
    const call = async (order: RunCall): Promise<void> => {
      await this.#call(order);
    };
    return {
      // Of a part of a buffer the whole would be sent.
      write: (chunk) => call({ kind: 'write-file', file, chunk: new Uint8Array(chunk) }),
      close: () => call({ kind: 'close-file', file }),
      // Of a run that is over the worker gives it up itself.
      abort: () => call({ kind: 'abort-file', file }).catch(() => {}),
    };
  }

  #log(): ToolLog {
    const write =
      (level: LogLevel) =>
      (message: string, fields: object = {}): void => {
        this.#send({ kind: 'log', level, message: String(message), fields: logFields(fields) });
      };
    return {
      debug: write('debug'),
      info: write('info'),
      notice: write('notice'),
      warning: write('warning'),
      error: write('error'),
      critical: write('critical'),
      alert: write('alert'),
      emergency: write('emergency'),
    };
  }

  #call(call: RunCall): Promise<unknown> {
    this.#signal.signal.throwIfAborted();
    if (this.#isClosed) throw new Error('the attempt has ended');
    this.#lastCall += 1;
    const id = this.#lastCall;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      this.#send({ kind: 'call', id, call });
    });
  }

  #send(message: RunMessage): void {
    if (this.#isClosed) return;
    this.#signal.look();
    this.#order.port.postMessage(message);
    countSent(this.#order.control);
  }

  #hear(reply: RunReply): void {
    if (reply.kind === 'abort') {
      this.#signal.abort(reply.why);
      return;
    }
    const waiting = this.#calls.get(reply.id);
    this.#calls.delete(reply.id);
    if (reply.kind === 'answer') waiting?.resolve(reply.value);
    else waiting?.reject(this.#refusal(reply));
  }

  /** What stopped the run has the same face here as there: the signal's reason. */
  #refusal({ error }: Extract<RunReply, { kind: 'refusal' }>): unknown {
    const { signal } = this.#signal;
    return error.name === 'AbortError' && signal.aborted ? signal.reason : revivedError(error);
  }
}

/** However it is used: awaited or iterated. */
function refuseToMap(): MapRun<never> {
  const refused = Promise.reject<never>(
    new ToolError(
      "a tool of isolate 'thread' does not map: map over it, by its name, in a tool without isolate",
    ),
  );
  // Whoever only iterates hears of it there.
  refused.catch(() => {});
  return Object.assign(refused, {
    [Symbol.asyncIterator]: () => ({ next: () => refused }),
  });
}

/** Fields that JSON can not hold are left out, as they are for clients. */
function logFields(fields: object): JsonObject {
  try {
    return toJsonObject(fields);
  } catch {
    return {};
  }
}

/**
 * Sends the latest of many values, one per `intervalMs` at most. Unlike LatestThrottle it looks at the clock
 * with each value: in a thread that computes without awaiting no timer fires.
 */
class LatestSender<T> {
  readonly #intervalMs: number;
  readonly #send: (value: T) => void;
  #pending: { readonly value: T } | null = null;
  #timer: NodeJS.Timeout | null = null;
  #nextAt = 0;

  constructor(intervalMs: number, send: (value: T) => void) {
    this.#intervalMs = intervalMs;
    this.#send = send;
  }

  push(value: T): void {
    this.#pending = { value };
    const leftMs = this.#nextAt - performance.now();
    if (leftMs <= 0) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), leftMs);
  }

  /** Sends what waits, at once. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const pending = this.#pending;
    if (pending === null) return;
    this.#pending = null;
    this.#nextAt = performance.now() + this.#intervalMs;
    this.#send(pending.value);
  }
}
