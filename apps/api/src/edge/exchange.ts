import type { ServerResponse } from 'node:http';
import type { RequestId } from '@longshore/core';
import type { JsonRpcResponse, ServerMessage } from '@longshore/protocol';
import type { Accepted } from './accepts.ts';
import type { Delivery, StopReason } from './delivery.ts';
import { EventStream } from './event-stream.ts';
import type { KeepAlive } from './keep-alive.ts';
import type { RecordedLog } from './request-log.ts';
import { whenClosed } from './when-closed.ts';

export interface ExchangeOptions {
  readonly requestId: RequestId;
  readonly accepted: Accepted;
  readonly keepAlive: KeepAlive;
  readonly log: RecordedLog;
}

/**
 * One request over HTTP and its answer: a JSON body, or, from the moment something comes before it or it takes time,
 * an event stream. What an era does about time, names of events and withdrawals is its own.
 */
export abstract class Exchange implements Delivery {
  readonly requestId: RequestId;
  readonly log: RecordedLog;
  protected readonly response: ServerResponse;
  protected readonly accepted: Accepted;
  protected stream: EventStream | null = null;
  /** Of the first event: where the client was before anything was sent, however late the stream opens. */
  protected primer: string | null = null;
  readonly #keepAlive: KeepAlive;
  #openTimer: NodeJS.Timeout | null = null;
  #stopped: StopReason | null = null;
  /** Made when somebody asks for it: most answers are there before anybody does. */
  #abort: AbortController | null = null;

  constructor(response: ServerResponse, options: ExchangeOptions) {
    this.requestId = options.requestId;
    this.log = options.log;
    this.response = response;
    this.accepted = options.accepted;
    this.#keepAlive = options.keepAlive;
  }

  get stopped(): StopReason | null {
    return this.#stopped;
  }

  get signal(): AbortSignal {
    if (this.#abort === null) {
      this.#abort = new AbortController();
      if (this.#stopped !== null) this.#abort.abort(this.#stopped);
      else whenClosed(this.response, () => this.stop('disconnected'));
    }
    return this.#abort.signal;
  }

  abstract hold(): void;
  abstract withdraw(): void;

  notify(message: ServerMessage): void {
    if (this.#stopped !== null) return;
    this.open();
    this.stream?.send(message, this.nextName());
  }

  /** Opens the event stream, when the client takes one. */
  open(): void {
    this.#forgetOpening();
    if (this.stream !== null || !this.accepted.eventStream) return;
    if (this.response.headersSent || this.response.destroyed) return;
    this.stream = new EventStream(this.response, this.#keepAlive, this.primer);
    this.opened();
  }

  /** Stops whatever works on the answer. */
  stop(reason: StopReason): void {
    this.forgetTimers();
    if (this.#stopped !== null) return;
    this.#stopped = reason;
    this.#abort?.abort(reason);
  }

  /** Opens the stream in so many milliseconds, unless the answer is there before. */
  protected openWithin(ms: number): void {
    this.#openTimer ??= setTimeout(() => this.open(), ms).unref();
  }

  protected opened(): void {}

  /** @returns the name of an event; null: it has none */
  protected nextName(): string | null {
    return null;
  }

  /** @returns the name of the last event of the stream; null: it has none */
  protected lastName(): string | null {
    return null;
  }

  protected forgetTimers(): void {
    this.#forgetOpening();
  }

  /** The client has all it gets, or is gone. */
  protected get isOver(): boolean {
    return this.response.writableEnded || this.response.destroyed;
  }

  /** @param headers beside those that the kind of answer needs; an open stream has sent its own already */
  protected send(
    message: JsonRpcResponse,
    httpStatus: number,
    headers: Readonly<Record<string, string>>,
  ): void {
    if (this.stream !== null) {
      this.stream.send(message, this.lastName());
      this.stream.end();
      return;
    }
    // A string, not a buffer: Node sends it together with the headers, in one write.
    const body = JSON.stringify(message);
    this.response.writeHead(httpStatus, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      ...headers,
    });
    this.response.end(body);
  }

  #forgetOpening(): void {
    if (this.#openTimer !== null) clearTimeout(this.#openTimer);
    this.#openTimer = null;
  }
}
