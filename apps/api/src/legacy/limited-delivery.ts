import { type LimitedSignal, limitedSignal, type RequestId } from '@longshore/core';
import type { ServerMessage } from '@longshore/protocol';
import type { EventNames, ResumableDelivery } from '../edge/delivery.ts';
import type { RecordedLog } from '../edge/request-log.ts';

/** The way back to a client that waits for so long and no longer. */
export class LimitedDelivery implements ResumableDelivery {
  readonly #delivery: ResumableDelivery;
  readonly #limited: LimitedSignal;

  constructor(delivery: ResumableDelivery, limitMs: number) {
    this.#delivery = delivery;
    this.#limited = limitedSignal(delivery.signal, limitMs);
  }

  /** The time is over, and the client is still there. */
  get isOver(): boolean {
    return this.#limited.signal.aborted && !this.#delivery.signal.aborted;
  }

  get requestId(): RequestId {
    return this.#delivery.requestId;
  }

  get log(): RecordedLog {
    return this.#delivery.log;
  }

  get signal(): AbortSignal {
    return this.#limited.signal;
  }

  get streams(): boolean {
    return this.#delivery.streams;
  }

  hold(names?: EventNames): void {
    this.#delivery.hold(names);
  }

  notify(message: ServerMessage): void {
    this.#delivery.notify(message);
  }

  withdraw(): void {
    this.#delivery.withdraw();
  }

  supersede(): void {
    this.#delivery.supersede();
  }

  release(): void {
    this.#limited.release();
  }
}
