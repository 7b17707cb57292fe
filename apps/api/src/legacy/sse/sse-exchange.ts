import type { RequestId } from '@longshore/core';
import type { ServerMessage } from '@longshore/protocol';
import type { ResumableDelivery, StopReason } from '../../edge/delivery.ts';
import type { RecordedLog } from '../../edge/request-log.ts';

/** One request of a connection, whose answer goes the way of all its messages. It is held open by nature, and ends with the connection. */
export class SseExchange implements ResumableDelivery {
  readonly requestId: RequestId;
  readonly log: RecordedLog;
  readonly streams = true;
  readonly #send: (message: ServerMessage) => void;
  readonly #abort = new AbortController();
  #answered = false;

  constructor(options: {
    requestId: RequestId;
    log: RecordedLog;
    send: (message: ServerMessage) => void;
  }) {
    this.requestId = options.requestId;
    this.log = options.log;
    this.#send = options.send;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Nobody waits for the answer any more. */
  get isStopped(): boolean {
    return this.#abort.signal.aborted;
  }

  hold(): void {
    // The stream is open already.
  }

  notify(message: ServerMessage): void {
    if (!this.#answered && !this.isStopped) this.#send(message);
  }

  /** To be called with the answer: what belongs before it comes too late from here on. */
  answered(): void {
    this.#answered = true;
  }

  withdraw(): void {
    this.stop('cancelled');
  }

  supersede(): void {
    this.stop('superseded');
  }

  stop(reason: StopReason): void {
    this.#abort.abort(reason);
  }
}
