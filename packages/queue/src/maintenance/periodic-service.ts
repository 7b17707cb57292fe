import type { Service } from '@longshore/core';
import { PeriodicLoop, type PeriodicLoopOptions } from './periodic-loop.ts';

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
