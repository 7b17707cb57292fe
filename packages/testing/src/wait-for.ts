import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitForOptions {
  /** What is waited for, for the error: "task 7 finished". */
  readonly what: string;
  /** Milliseconds; 15 s by default, far beyond what anything takes on a slow machine. */
  readonly timeoutMs?: number;
}

const POLL_MS = 10;

/**
 * Asks `condition` every 10 ms until it answers something truthy, and returns that. What it throws counts
 * as "not yet", and the last error is the cause of the time-out.
 *
 * @throws {Error} naming `what` when the time is over
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { what, timeoutMs = 15_000 }: WaitForOptions,
): Promise<Exclude<T, false | null | undefined>> {
  const until = performance.now() + timeoutMs;
  let cause: unknown;
  let isLast: boolean;
  do {
    // Asked once more when the time is over: the process itself may have been kept from asking.
    isLast = performance.now() >= until;
    try {
      const value = await condition();
      if (isThere(value)) return value;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (!isLast) await sleep(POLL_MS);
  } while (!isLast);
  const why = cause === undefined ? '' : `; last error: ${cause}`;
  throw new Error(`waited ${timeoutMs} ms in vain: ${what}${why}`, { cause });
}

function isThere<T>(value: T): value is Exclude<T, false | null | undefined> {
  return Boolean(value);
}
