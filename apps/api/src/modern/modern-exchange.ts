import { LongshoreError } from '@longshore/core';
import type { JsonRpcResponse } from '@longshore/protocol';
import { Exchange } from '../edge/exchange.ts';

/** Answers that are there within this time go out as plain JSON. */
const HOLD_MS = 250;

/**
 * One POST of the modern era and its answer, with the HTTP status that the revision asks for. Nothing here can be
 * resumed: a connection that closes withdraws its request.
 *
 * @see 2026-07-28 basic/transports/streamable-http
 */
export class ModernExchange extends Exchange {
  hold(): void {
    if (this.stream === null) this.openWithin(HOLD_MS);
  }

  /** @throws {LongshoreError} NOT_ACCEPTABLE */
  requireStream(): void {
    if (this.accepted.eventStream) return;
    throw new LongshoreError(
      'NOT_ACCEPTABLE',
      'The answer is an event stream: accept text/event-stream',
    );
  }

  /** Requests of this era are withdrawn by closing their connection, never by a message. */
  withdraw(): void {}

  /** @param headers beside those that the kind of answer needs; an open stream has sent its own already */
  respond(
    message: JsonRpcResponse,
    httpStatus: number,
    headers: Readonly<Record<string, string>>,
  ): void {
    this.forgetTimers();
    if (this.isOver) return;
    if (httpStatus === 200 && !this.accepted.json) this.open();
    this.send(message, httpStatus, headers);
  }
}
