import type { ServerResponse } from 'node:http';
import type { Logger, RequestId } from '@longshore/core';
import type { JsonRpcResponse, ServerMessage } from '@longshore/protocol';
import type { Accepted } from './accepts.ts';
import type { EventNames, ResumableDelivery, StopReason } from './delivery.ts';
import { EventStream } from './event-stream.ts';
import type { KeepAlive } from './keep-alive.ts';
import { whenClosed } from './when-closed.ts';

/** Answers that are there within this time go out as plain JSON, in one piece. */
const HOLD_MS = 50;

export interface PostExchangeOptions {
  readonly requestId: RequestId;
  readonly accepted: Accepted;
  readonly keepAlive: KeepAlive;
  readonly log: Logger;
  /** The client comes back by itself when the connection ends before the answer (revision 2025-11-25). */
  readonly comesBack: boolean;
  /** How old a connection of a client that comes back may get, in milliseconds; null: as old as it likes. */
  readonly maxAgeMs: number | null;
}

/**
 * One request and its answer: a JSON body when the answer is there at once, an event stream from the moment
 * something comes before it or it takes time. The stream of a GET that resumes a request is one as well.
 */
export class PostExchange implements ResumableDelivery {
  readonly requestId: RequestId;
  readonly log: Logger;
  readonly #response: ServerResponse;
  readonly #options: PostExchangeOptions;
  #stream: EventStream | null = null;
  #names: EventNames | null = null;
  /** Of the first event: where the client was before anything was sent, however late the stream opens. */
  #primer: string | null = null;
  /** What the answer takes time for is there, whatever becomes of this connection. */
  #isHeld = false;
  #holdTimer: NodeJS.Timeout | null = null;
  #ageTimer: NodeJS.Timeout | null = null;
  #stopped: StopReason | null = null;
  /** Made when somebody asks for it: most answers are there before anybody does. */
  #abort: AbortController | null = null;

  constructor(response: ServerResponse, options: PostExchangeOptions) {
    this.requestId = options.requestId;
    this.log = options.log;
    this.#response = response;
    this.#options = options;
  }

  get stopped(): StopReason | null {
    return this.#stopped;
  }

  get streams(): boolean {
    return this.#options.accepted.eventStream;
  }

  get signal(): AbortSignal {
    if (this.#abort === null) {
      this.#abort = new AbortController();
      if (this.#stopped !== null) this.#abort.abort(this.#stopped);
      else whenClosed(this.#response, () => this.stop('disconnected'));
    }
    return this.#abort.signal;
  }

  hold(names: EventNames | null = null): void {
    if (this.#stream !== null || this.#isHeld) return;
    this.#names = names;
    this.#isHeld = true;
    const { accepted, comesBack } = this.#options;
    if (comesBack && accepted.eventStream) this.#primer = this.#nextName();
    if (!accepted.json) this.#open();
    else this.#holdTimer = setTimeout(() => this.#open(), HOLD_MS).unref();
  }

  #open(): void {
    if (this.#holdTimer !== null) clearTimeout(this.#holdTimer);
    if (this.#stream !== null || !this.#options.accepted.eventStream) return;
    if (this.#response.headersSent || this.#response.destroyed) return;
    const { keepAlive, maxAgeMs } = this.#options;
    this.#stream = new EventStream(this.#response, keepAlive, this.#primer);
    if (this.#primer === null || maxAgeMs === null) return;
    this.#ageTimer = setTimeout(() => this.stop('max-age'), maxAgeMs).unref();
  }

  notify(message: ServerMessage): void {
    if (this.#stopped !== null) return;
    this.#open();
    this.#stream?.send(message, this.#nextName());
  }

  withdraw(): void {
    this.stop('cancelled');
  }

  supersede(): void {
    this.stop('superseded');
  }

  /** Stops whatever works on the answer. */
  stop(reason: StopReason): void {
    this.#forgetTimers();
    if (this.#stopped !== null) return;
    this.#stopped = reason;
    this.#abort?.abort(reason);
  }

  /**
   * Ends the exchange.
   *
   * @param message null: nobody waits for an answer any more
   * @param headers beside those that the kind of answer needs; an open stream has sent its own already
   */
  respond(
    message: JsonRpcResponse | null,
    httpStatus: number,
    headers: Readonly<Record<string, string>>,
  ): void {
    this.#forgetTimers();
    if (this.#response.writableEnded || this.#response.destroyed) return;
    // A withdrawn request gets no answer, also when there is one.
    if (message === null || this.#stopped === 'cancelled' || this.#stopped === 'superseded') {
      this.#endWithoutAnswer();
      return;
    }
    if (!this.#options.accepted.json) this.#open();
    if (this.#stream !== null) {
      this.#stream.send(message, this.#names?.last() ?? null);
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

  /**
   * A stream ends, and tells a client that would come back whether there is anything to come back for. A
   * client that asked for plain JSON gets an empty body, for HTTP wants an answer.
   */
  #endWithoutAnswer(): void {
    const comeBack = this.#stopped === 'shutdown' || this.#stopped === 'max-age';
    // Sent again it would be done twice: the client is told where to come back for it.
    if (comeBack && this.#isHeld) this.#open();
    if (this.#stream !== null) {
      if (!this.#options.comesBack) this.#stream.end();
      else if (comeBack) this.#stream.part();
      else this.#stream.end(this.#names?.last() ?? null);
    } else if (comeBack) this.#response.writeHead(503, { 'Retry-After': '1' }).end();
    else this.#response.writeHead(202).end();
  }

  #forgetTimers(): void {
    if (this.#holdTimer !== null) clearTimeout(this.#holdTimer);
    if (this.#ageTimer !== null) clearTimeout(this.#ageTimer);
  }

  #nextName(): string | null {
    return this.#names?.next() ?? null;
  }
}
