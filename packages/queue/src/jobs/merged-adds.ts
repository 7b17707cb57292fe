import { withDeadline } from '@longshore/core';
import { queueUnavailable } from '../connections/queue-unavailable.ts';

/** Jobs per command to the server. */
const MAX_BATCH = 500;

/** Two, so that one is prepared while the other travels; more do not make Redis faster and Postgres slower. */
const MAX_IN_FLIGHT = 2;

/** Beyond this many waiting jobs, adding is refused: the server does not keep up, and rows are safe without. */
const MAX_WAITING = 20_000;

interface Call {
  readonly ids: readonly string[];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Merges concurrent `add` calls for one queue: all calls of one turn of the event loop, and all that come
 * while two commands are under way, travel together. Accepting hundreds of tasks per second then costs some
 * tens of commands.
 *
 * When a command fails or takes too long, everybody who waits is told at once, so no call takes longer
 * than `timeoutMs` and a little.
 */
export class MergedAdds {
  readonly #send: (ids: readonly string[]) => Promise<void>;
  readonly #timeoutMs: number;
  #calls: Call[] = [];
  #waiting = 0;
  #inFlight = 0;
  #isScheduled = false;

  /** @param send adds a batch of distinct ids */
  constructor(send: (ids: readonly string[]) => Promise<void>, timeoutMs: number) {
    this.#send = send;
    this.#timeoutMs = timeoutMs;
  }

  /** @throws {LongshoreError} QUEUE_UNAVAILABLE */
  async add(ids: readonly string[]): Promise<void> {
    const parts: Promise<void>[] = [];
    for (let at = 0; at < ids.length; at += MAX_BATCH) {
      parts.push(this.#enqueue(ids.slice(at, at + MAX_BATCH)));
    }
    await Promise.all(parts);
  }

  #enqueue(ids: readonly string[]): Promise<void> {
    if (this.#waiting + ids.length > MAX_WAITING) {
      return Promise.reject(queueUnavailable(`more than ${MAX_WAITING} jobs wait to be added`));
    }
    return new Promise((resolve, reject) => {
      this.#calls.push({ ids, resolve, reject });
      this.#waiting += ids.length;
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#calls.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      while (this.#inFlight < MAX_IN_FLIGHT && this.#calls.length > 0) void this.#deliver();
    });
  }

  async #deliver(): Promise<void> {
    const batch = this.#takeBatch();
    this.#inFlight += 1;
    try {
      const ids = [...new Set(batch.flatMap((call) => call.ids))];
      await withDeadline(this.#send(ids), this.#timeoutMs, () => new Error('no answer'));
      for (const call of batch) call.resolve();
    } catch (cause) {
      const error = queueUnavailable('jobs could not be added', cause);
      for (const call of [...batch, ...this.#takeAll()]) call.reject(error);
    } finally {
      this.#inFlight -= 1;
      this.#schedule();
    }
  }

  #takeBatch(): Call[] {
    let size = 0;
    let count = 0;
    for (const call of this.#calls) {
      size += call.ids.length;
      if (count > 0 && size > MAX_BATCH) break;
      count += 1;
    }
    const batch = this.#calls.splice(0, count);
    for (const call of batch) this.#waiting -= call.ids.length;
    return batch;
  }

  #takeAll(): Call[] {
    const calls = this.#calls;
    this.#calls = [];
    this.#waiting = 0;
    return calls;
  }
}
