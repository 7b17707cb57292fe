import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { Outcome } from '@longshore/core';
import type { FileHost, FileSink } from '@longshore/plugin/host';
import type { Failure } from '../requests/failure.ts';
import type { RunScope } from '../requests/request-handler.ts';
import { AttemptAborted } from '../run/running-attempt.ts';
import type { Awaited, Seat } from '../run/seats.ts';
import { portableError, revivedError } from './portable-error.ts';
import { countRead, orderStop } from './run-control.ts';
import type { RunCall, RunEnd, RunMessage, RunReply } from './thread-messages.ts';

/** A tool threw in its thread; what that means was found out there, where the error's class exists. */
export class ThreadRunFailed extends Error {
  override readonly name: string;
  readonly failure: Failure;

  constructor({ failure, error }: Extract<RunEnd, { kind: 'failed' }>) {
    const { name, message, stack = '' } = revivedError(error);
    super(message);
    this.name = name;
    this.stack = stack;
    this.failure = failure;
  }
}

/**
 * The worker's end of a run in a thread: does what the tool asks of its context, and tells it to stop when the
 * attempt's signal fires. The time limit stands still until the thread has loaded the tool.
 */
export class ServedRun {
  readonly ended: Promise<void>;
  readonly #port: MessagePort;
  readonly #control: Int32Array;
  readonly #scope: RunScope;
  readonly #seat: Seat;
  readonly #files: ServedFiles;
  readonly #onAbort = (): void => this.#stop();
  #hasEnded: () => void = () => {};
  #hasBegun = false;
  #end: RunEnd | null = null;

  /** @param seat among the runs in threads: given away while the tool waits, as that of its attempt is */
  constructor(port: MessagePort, control: Int32Array, scope: RunScope, seat: Seat) {
    this.#port = port;
    this.#control = control;
    this.#scope = scope;
    this.#seat = seat;
    this.#files = new ServedFiles(scope.openFile);
    this.ended = new Promise((resolve) => {
      this.#hasEnded = resolve;
    });
    scope.timeLimit.pause();
    port.on('message', (message: RunMessage) => this.#hear(message));
    const { signal } = scope.ctx;
    if (signal.aborted) this.#stop();
    else signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /**
   * What the thread has said of the end, also when it has died since; null: nothing.
   *
   * @throws {ThreadRunFailed}
   */
  outcome(): Outcome | null {
    for (let next = this.#next(); next !== null; next = this.#next()) this.#hear(next);
    if (this.#end?.kind === 'failed') throw new ThreadRunFailed(this.#end);
    return this.#end?.outcome ?? null;
  }

  close(): void {
    this.#begin();
    this.#scope.ctx.signal.removeEventListener('abort', this.#onAbort);
    this.#port.close();
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#scope.timeLimit.resume();
  }

  #next(): RunMessage | null {
    return receiveMessageOnPort(this.#port)?.message ?? null;
  }

  #stop(): void {
    const { reason } = this.#scope.ctx.signal;
    const why = reason instanceof AttemptAborted ? reason.why : 'lost';
    if (this.#seat.isAway) this.#seat.giveUp();
    orderStop(this.#control, why);
    this.#reply({ kind: 'abort', why });
  }

  #hear(message: RunMessage): void {
    const { ctx } = this.#scope;
    switch (message.kind) {
      case 'began':
        this.#begin();
        break;
      case 'progress':
        ctx.progress(message.done, message.total, message.message);
        break;
      case 'status':
        ctx.statusMessage(message.text);
        break;
      case 'log':
        ctx.log[message.level](message.message, message.fields);
        break;
      case 'resource-updated':
        // Whatever the tool handed in: the worker says in its log that it is no URI.
        ctx.resourceUpdated(message.uri as string);
        break;
      case 'call':
        void this.#serve(message.id, message.call);
        return;
      case 'ended':
        this.#end = message.end;
        this.#hasEnded();
    }
    countRead(this.#control);
  }

  /**
   * A call counts as read when it is done, so that calls under way are bounded; questions and other tools may
   * take hours.
   */
  async #serve(id: number, call: RunCall): Promise<void> {
    const mayTakeLong = call.kind === 'ask' || call.kind === 'call-tool';
    if (mayTakeLong) countRead(this.#control);
    try {
      this.#reply({ kind: 'answer', id, value: await this.#answer(call) });
    } catch (error) {
      this.#reply({ kind: 'refusal', id, error: portableError(error) });
    }
    if (!mayTakeLong) countRead(this.#control);
  }

  #answer(call: RunCall): Promise<unknown> {
    const { ctx, ask } = this.#scope;
    switch (call.kind) {
      case 'ask':
        return this.#waiting('answer', () => ask(call.question, call.timeoutMs));
      case 'call-tool':
        return this.#waiting('tasks', () => ctx.call(call.name, call.arguments, call.options));
      case 'get-checkpoint':
        return ctx.checkpoint.get(call.key);
      case 'set-checkpoint':
        return ctx.checkpoint.set(call.key, call.value);
      case 'open-file':
      case 'write-file':
      case 'close-file':
      case 'abort-file':
        return this.#files.answer(call);
    }
  }

  async #waiting<T>(awaited: Awaited, wait: () => Promise<T>): Promise<T> {
    const endWait = this.#seat.wait(awaited);
    try {
      return await wait();
    } finally {
      await endWait();
    }
  }

  /** To a thread that is gone it goes nowhere. */
  #reply(reply: RunReply): void {
    this.#port.postMessage(reply);
  }
}

type FileCall = Extract<RunCall, { kind: `${string}-file` }>;

/** The worker's end of the files of a run in a thread. */
class ServedFiles {
  readonly #open: FileHost['open'];
  readonly #sinks = new Map<number, FileSink>();
  #last = 0;

  constructor(open: FileHost['open']) {
    this.#open = open;
  }

  async answer(call: FileCall): Promise<unknown> {
    switch (call.kind) {
      case 'open-file': {
        const sink = await this.#open({ name: call.name, mimeType: call.mimeType });
        this.#last += 1;
        this.#sinks.set(this.#last, sink);
        return this.#last;
      }
      case 'write-file':
        return this.#sink(call.file).write(call.chunk);
      case 'close-file':
        return this.#sink(call.file).close();
      case 'abort-file':
        return this.#sink(call.file).abort();
    }
  }

  #sink(file: number): FileSink {
    const sink = this.#sinks.get(file);
    if (sink === undefined) throw new Error('the run has no such file');
    return sink;
  }
}
