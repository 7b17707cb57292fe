import type { ServerResponse } from 'node:http';
import type { JsonRpcResponse } from '@longshore/protocol';
import type { EventNames, ResumableDelivery } from './delivery.ts';
import { Exchange, type ExchangeOptions } from './exchange.ts';

/** Answers that are there within this time go out as plain JSON, in one piece. */
const HOLD_MS = 50;

export interface PostExchangeOptions extends ExchangeOptions {
  /** The client comes back by itself when the connection ends before the answer (revision 2025-11-25). */
  readonly comesBack: boolean;
  /** How old a connection of a client that comes back may get, in milliseconds; null: as old as it likes. */
  readonly maxAgeMs: number | null;
}

/**
 * One POST of a session and its answer, which the client may come back for. The stream of a GET that resumes a
 * request is one as well.
 */
export class PostExchange extends Exchange implements ResumableDelivery {
  readonly #comesBack: boolean;
  readonly #maxAgeMs: number | null;
  #names: EventNames | null = null;
  /** What the answer takes time for is there, whatever becomes of this connection. */
  #isHeld = false;
  #ageTimer: NodeJS.Timeout | null = null;

  constructor(response: ServerResponse, options: PostExchangeOptions) {
    super(response, options);
    this.#comesBack = options.comesBack;
    this.#maxAgeMs = options.maxAgeMs;
  }

  get streams(): boolean {
    return this.accepted.eventStream;
  }

  hold(names: EventNames | null = null): void {
    if (this.stream !== null || this.#isHeld) return;
    this.#names = names;
    this.#isHeld = true;
    if (this.#comesBack && this.accepted.eventStream) this.primer = this.nextName();
    if (!this.accepted.json) this.open();
    else this.openWithin(HOLD_MS);
  }

  withdraw(): void {
    this.stop('cancelled');
  }

  supersede(): void {
    this.stop('superseded');
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
    this.forgetTimers();
    if (this.isOver) return;
    // A withdrawn request gets no answer, also when there is one.
    if (message === null || this.stopped === 'cancelled' || this.stopped === 'superseded') {
      this.#endWithoutAnswer();
      return;
    }
    if (!this.accepted.json) this.open();
    this.send(message, httpStatus, headers);
  }

  protected override opened(): void {
    if (this.primer === null || this.#maxAgeMs === null) return;
    this.#ageTimer = setTimeout(() => this.stop('max-age'), this.#maxAgeMs).unref();
  }

  protected override nextName(): string | null {
    return this.#names?.next() ?? null;
  }

  protected override lastName(): string | null {
    return this.#names?.last() ?? null;
  }

  protected override forgetTimers(): void {
    super.forgetTimers();
    if (this.#ageTimer !== null) clearTimeout(this.#ageTimer);
  }

  /**
   * A stream ends, and tells a client that would come back whether there is anything to come back for. A
   * client that asked for plain JSON gets an empty body, for HTTP wants an answer.
   */
  #endWithoutAnswer(): void {
    const comeBack = this.stopped === 'shutdown' || this.stopped === 'max-age';
    // Sent again it would be done twice: the client is told where to come back for it.
    if (comeBack && this.#isHeld) this.open();
    if (this.stream !== null) {
      if (!this.#comesBack) this.stream.end();
      else if (comeBack) this.stream.part();
      else this.stream.end(this.lastName());
    } else if (comeBack) this.response.writeHead(503, { 'Retry-After': '1' }).end();
    else this.response.writeHead(202).end();
  }
}
