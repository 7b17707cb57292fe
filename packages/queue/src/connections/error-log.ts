import { type Clock, type Logger, systemClock } from '@longshore/core';

/** One line per message and interval: a server that is down is not a thousand pieces of news. */
const INTERVAL_MS = 10_000;

/**
 * Logs errors that come in floods, such as those of a lost connection: of each message the first at once,
 * then at most one per 10 s with the number left out.
 */
export class ErrorLog {
  readonly #log: Logger;
  readonly #clock: Clock;
  /** By message; the messages are constants, so there are few. */
  readonly #last = new Map<string, { at: number; leftOut: number }>();

  constructor(log: Logger, clock: Clock = systemClock) {
    this.#log = log;
    this.#clock = clock;
  }

  warn(fields: object, message: string): void {
    const now = this.#clock.now();
    const last = this.#last.get(message);
    if (last !== undefined && now - last.at < INTERVAL_MS) {
      last.leftOut += 1;
      return;
    }
    this.#last.set(message, { at: now, leftOut: 0 });
    this.#log.warn(
      last === undefined || last.leftOut === 0 ? fields : { ...fields, leftOut: last.leftOut },
      message,
    );
  }
}
