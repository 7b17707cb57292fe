import type { ServerResponse } from 'node:http';
import { type Logger, LongshoreError, type RequestId } from '@longshore/core';
import type { JsonRpcNotification, JsonRpcResponse } from '@longshore/protocol';
import type { Accepted } from '../edge/accepts.ts';
import type { Delivery, StopReason } from '../edge/delivery.ts';
import { EventStream } from '../edge/event-stream.ts';
import type { KeepAlive } from '../edge/keep-alive.ts';
import { whenClosed } from '../edge/when-closed.ts';

/** Answers that are there within this time go out as plain JSON. */
const HOLD_MS = 250;

/**
 * One POST of the modern era and its answer: a JSON body with the HTTP status that the revision asks for,
 * or, from the moment something comes before it or it takes time, an event stream. Nothing here can be
 * resumed: a connection that closes withdraws its request.
 *
 * @see 2026-07-28 basic/transports/streamable-http
 */
export class ModernExchange implements Delivery {
  readonly requestId: RequestId;
  readonly log: Logger;
  readonly #response: ServerResponse;
  readonly #accepted: Accepted;
  readonly #keepAlive: KeepAlive;
  #stream: EventStream | null = null;
  #holdTimer: NodeJS.Timeout | null = null;
  #stopped: StopReason | null = null;
  /** Made when somebody asks for it: most answers are there before anybody does. */
  #abort: AbortController | null = null;

  constructor(
    response: ServerResponse,
    options: { requestId: RequestId; accepted: Accepted; keepAlive: KeepAlive; log: Logger },
  ) {
    this.requestId = options.requestId;
    this.log = options.log;
    this.#response = response;
    this.#accepted = options.accepted;
    this.#keepAlive = options.keepAlive;
  }

  get stopped(): StopReason | null {
    return this.#stopped;
  }

  get signal(): AbortSignal {
    if (this.#abort === null) {
      this.#abort = new AbortController();
      if (this.#stopped !== null) this.#abort.abort(this.#stopped);
      else whenClosed(this.#response, () => this.stop('disconnected'));
    }
    return this.#abort.signal;
  }

  hold(): void {
    if (this.#stream === null) this.#holdTimer ??= setTimeout(() => this.open(), HOLD_MS).unref();
  }

  /** @throws {LongshoreError} NOT_ACCEPTABLE */
  requireStream(): void {
    if (this.#accepted.eventStream) return;
    throw new LongshoreError(
      'NOT_ACCEPTABLE',
      'The answer is an event stream: accept text/event-stream',
    );
  }

  /** Opens the event stream, when the client takes one. */
  open(): void {
    this.#forgetTimer();
    if (this.#stream !== null || !this.#accepted.eventStream) return;
    if (this.#response.headersSent || this.#response.destroyed) return;
    this.#stream = new EventStream(this.#response, this.#keepAlive);
  }

  notify(message: JsonRpcNotification): void {
    if (this.#stopped !== null) return;
    this.open();
    this.#stream?.send(message);
  }

  /** Requests of this era are withdrawn by closing their connection, never by a message. */
  withdraw(): void {}

  /** Stops whatever works on the answer. */
  stop(reason: StopReason): void {
    this.#forgetTimer();
    if (this.#stopped !== null) return;
    this.#stopped = reason;
    this.#abort?.abort(reason);
  }

  /** @param headers beside those that the kind of answer needs; an open stream has sent its own already */
  respond(
    message: JsonRpcResponse,
    httpStatus: number,
    headers: Readonly<Record<string, string>>,
  ): void {
    this.#forgetTimer();
    if (this.#response.writableEnded || this.#response.destroyed) return;
    if (httpStatus === 200 && !this.#accepted.json) this.open();
    if (this.#stream !== null) {
      this.#stream.send(message);
      this.#stream.end();
      return;
    }
    // A string, not a buffer: Node sends it together with the headers, in one write.
    const body = JSON.stringify(message);
    this.#response.writeHead(httpStatus, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      ...headers,
    });
    this.#response.end(body);
  }

  #forgetTimer(): void {
    if (this.#holdTimer !== null) clearTimeout(this.#holdTimer);
    this.#holdTimer = null;
  }
}
