import { type Logger, type Service, ServiceLifecycle } from '@longshore/core';

export interface PeriodicLoopOptions {
  /** For the log: what it is that failed. */
  readonly name: string;
  /** Milliseconds between the end of a run and the next; up to a fifth more or less, by chance. */
  readonly intervalMs: number;
  /** Milliseconds a poke waits at least since the run before, so that many pokes are few runs. */
  readonly minGapMs: number;
  /** Longest pause after failures in a row, each of which doubles it, in milliseconds. */
  readonly maxBackoffMs: number;
  /** One run. Must end soon after `signal` fires. What it throws is logged. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  readonly log: Logger;
}

/** Runs something again and again, never twice at once. Processes that started together drift apart. */
export class PeriodicLoop implements Service {
  readonly #options: PeriodicLoopOptions;
  readonly #lifecycle: ServiceLifecycle;
  #loop: Promise<void> = Promise.resolve();
  #isPoked = false;
  #wake: (() => void) | null = null;

  constructor(options: PeriodicLoopOptions) {
    this.#options = options;
    this.#lifecycle = new ServiceLifecycle({
      up: async (signal) => {
        this.#loop = this.#repeat(signal);
      },
      down: () => this.#loop,
    });
  }

  start(): Promise<void> {
    return this.#lifecycle.start();
  }

  /** Resolves when the run under way has ended. */
  stop(): Promise<void> {
    return this.#lifecycle.stop();
  }

  /** Asks for a run soon, and for one more if one is under way. */
  poke(): void {
    this.#isPoked = true;
    this.#wake?.();
  }

  async #repeat(signal: AbortSignal): Promise<void> {
    const { intervalMs, minGapMs, maxBackoffMs } = this.#options;
    let failures = 0;
    while (!signal.aborted) {
      this.#isPoked = false;
      failures = (await this.#run(signal)) ? 0 : failures + 1;
      const backoffMs = Math.min(maxBackoffMs, intervalMs * 2 ** failures);
      const pauseMs = (failures === 0 ? intervalMs : backoffMs) * (0.8 + Math.random() * 0.4);
      await this.#rest(Math.min(minGapMs, pauseMs), signal, false);
      await this.#rest(pauseMs - minGapMs, signal, failures === 0);
    }
  }

  async #run(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#options.run(signal);
      return true;
    } catch (error) {
      if (!signal.aborted) this.#options.log.warn({ err: error }, `${this.#options.name} failed`);
      return signal.aborted;
    }
  }

  /** After failures a poke does not shorten the pause: whoever pokes knows nothing of them. */
  async #rest(ms: number, signal: AbortSignal, untilPoked: boolean): Promise<void> {
    if (signal.aborted || ms <= 0 || (untilPoked && this.#isPoked)) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.#wake = null;
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done);
      if (untilPoked) this.#wake = done;
    });
  }
}
