import { LONGEST_TIMER_MS } from './checks/definition-checks.ts';

/** Time as a tool sees it: that of the machine, or a test's. */
export interface ToolClock {
  /** Milliseconds since 1970, as of `Date.now()`. */
  now(): number;
  /**
   * Waits, unless the run is stopped meanwhile. The tool keeps its slot, and its time-out goes on.
   *
   * @param ms up to 2,147,483,647
   * @throws the reason of the context's signal once that has fired
   * @throws {RangeError} no such time
   */
  sleep(ms: number): Promise<void>;
}

/** Where time comes from: `globalThis`, or a fake clock such as that of @sinonjs/fake-timers. */
export interface TimeSource {
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
  readonly Date: { now(): number };
}

/**
 * @param run its signal ends what sleeps, and is asked for then
 * @param time looked at when it is used, so that a test may replace the timers of the global object
 */
export function createClock(
  run: { readonly signal: AbortSignal },
  time: TimeSource = globalThis,
): ToolClock {
  return {
    now: () => time.Date.now(),
    sleep: async (ms) => {
      if (!(ms >= 0 && ms <= LONGEST_TIMER_MS)) {
        throw new RangeError(`ctx.sleep takes 0 to ${LONGEST_TIMER_MS} milliseconds, not ${ms}`);
      }
      const { signal } = run;
      signal.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        const stop = (): void => {
          time.clearTimeout(timer);
          reject(signal.reason);
        };
        const timer = time.setTimeout(() => {
          signal.removeEventListener('abort', stop);
          resolve();
        }, ms);
        signal.addEventListener('abort', stop, { once: true });
      });
    },
  };
}
