import type { Logger } from './logger.ts';
import type { Service } from './service.ts';
import { ServiceLifecycle } from './service-lifecycle.ts';

/**
 * From where the interval counts.
 * - `drift`: from the end of a run, and by chance up to a fifth more or less, so that processes that started
 *   together drift apart. The first run comes at once.
 * - `beat`: from the start of a run; one that takes longer is waited for. The first run comes after one interval.
 */
export type Pace = 'drift' | 'beat';

export interface PeriodicLoopOptions {
  /** For the log: what it is that failed. */
  readonly name: string;
  /** `drift` unless said otherwise. */
  readonly pace?: Pace;
  /** Milliseconds between two runs. */
  readonly intervalMs: number;
  /** Milliseconds a poke waits at least since the run before, so that many pokes are few runs; 0 unless said otherwise. */
  readonly minGapMs?: number;
  /** Longest pause after failures in a row, each of which doubles it, in milliseconds; the interval unless said otherwise. */
  readonly maxBackoffMs?: number;
  /** One run. Must end soon after `signal` fires. What it throws is logged. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  readonly log: Logger;
}

/** Runs something again and again, never twice at once. */
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
    const isBeat = this.#options.pace === 'beat';
    let failures = 0;
    this.#isPoked = false;
    if (isBeat) await this.#pause(performance.now(), failures, signal);
    while (!signal.aborted) {
      this.#isPoked = false;
      const startedAt = performance.now();
      failures = (await this.#run(signal)) ? 0 : failures + 1;
      await this.#pause(isBeat ? startedAt : performance.now(), failures, signal);
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

  /** @param from when the run before counts, by `performance.now()` */
  async #pause(from: number, failures: number, signal: AbortSignal): Promise<void> {
    const { pace, intervalMs, minGapMs = 0, maxBackoffMs = intervalMs } = this.#options;
    const backoffMs = Math.min(maxBackoffMs, intervalMs * 2 ** failures);
    const pauseMs = failures === 0 ? intervalMs : backoffMs;
    const dueAt = from + pauseMs * (pace === 'beat' ? 1 : 0.8 + Math.random() * 0.4);
    await this.#restUntil(Math.min(from + minGapMs, dueAt), signal, false);
    await this.#restUntil(dueAt, signal, failures === 0);
  }

  /** After failures a poke does not shorten the pause: whoever pokes knows nothing of them. */
  async #restUntil(at: number, signal: AbortSignal, untilPoked: boolean): Promise<void> {
    const ms = at - performance.now();
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

/** A service that does its work again and again. */
export abstract class PeriodicService implements Service {
  readonly #loop: PeriodicLoop;

  constructor(options: Omit<PeriodicLoopOptions, 'run'>) {
    const run = async (signal: AbortSignal): Promise<void> => {
      await this.runOnce(signal);
    };
    this.#loop = new PeriodicLoop({ ...options, run });
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Asks for a run soon. Costs nothing, may be called as often as one likes. */
  poke(): void {
    this.#loop.poke();
  }

  /** One run. It ends soon after `signal` fires. */
  abstract runOnce(signal?: AbortSignal): Promise<unknown>;
}
