import type { Service } from './service.ts';

/**
 * The order of starting and stopping that `Service` promises, so that a service only says how it goes up
 * and how it comes down: start twice is start once, stop before start does nothing, stop during start waits
 * for it, start after stop begins anew.
 */
export class ServiceLifecycle implements Service {
  readonly #up: (signal: AbortSignal) => Promise<void>;
  readonly #down: () => Promise<void>;
  #running: { readonly started: Promise<void>; readonly abort: AbortController } | null = null;
  #stopping: Promise<void> = Promise.resolve();

  /**
   * @param steps.up makes the service work; `signal` fires when it is to stop
   * @param steps.down takes down whatever `up` made, also after `up` failed half-way
   */
  constructor(steps: {
    readonly up: (signal: AbortSignal) => Promise<void>;
    readonly down: () => Promise<void>;
  }) {
    this.#up = steps.up;
    this.#down = steps.down;
  }

  /** Between the end of `start` and the begin of `stop`, and while starting. */
  get isRunning(): boolean {
    return this.#running !== null;
  }

  start(): Promise<void> {
    if (this.#running === null) {
      const abort = new AbortController();
      this.#running = { started: this.#begin(abort), abort };
    }
    return this.#running.started;
  }

  stop(): Promise<void> {
    const running = this.#running;
    if (running !== null) {
      this.#running = null;
      running.abort.abort();
      const started = running.started.catch(() => {});
      this.#stopping = this.#stopping.then(() => started).then(() => this.#down());
    }
    return this.#stopping;
  }

  async #begin(abort: AbortController): Promise<void> {
    await this.#stopping;
    if (abort.signal.aborted) return;
    try {
      await this.#up(abort.signal);
    } catch (error) {
      if (this.#running?.abort === abort) this.#running = null;
      await this.#down();
      throw error;
    }
  }
}
