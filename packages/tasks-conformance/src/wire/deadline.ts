import { setMaxListeners } from 'node:events';

/**
 * A signal that fires with `parent` or after `ms`. `AbortSignal.any` of an `AbortSignal.timeout` would do,
 * but such a signal may be garbage-collected before it fires (Node 20).
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #parent: AbortSignal;
  readonly #fire = (): void => this.#controller.abort(this.#parent.reason);

  constructor(parent: AbortSignal, ms: number) {
    // Each wait listens, and a check may wait for many things at once.
    setMaxListeners(0, this.#controller.signal);
    this.#parent = parent;
    this.#timer = setTimeout(this.#fire, ms);
    if (parent.aborted) this.#fire();
    else parent.addEventListener('abort', this.#fire);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Lets go of timer and parent. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#parent.removeEventListener('abort', this.#fire);
  }
}
