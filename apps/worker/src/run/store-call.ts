import { setTimeout as sleep } from 'node:timers/promises';
import { LongshoreError, retryDelayMs, withDeadline } from '@longshore/core';

/**
 * The promise's value, or an error after `timeoutMs` milliseconds; what comes later is ignored.
 *
 * @param what names the awaited thing in the error
 * @throws {LongshoreError} DATABASE_UNAVAILABLE
 */
export function within<T>(timeoutMs: number, promise: Promise<T>, what: string): Promise<T> {
  return withDeadline(
    promise,
    timeoutMs,
    () => new LongshoreError('DATABASE_UNAVAILABLE', `${what} took longer than ${timeoutMs} ms`),
  );
}

const BACKOFF = { baseMs: 50, factor: 2, maxMs: 2_000 };

const TIMEOUT_MS = 10_000;

/**
 * Talks to the database until it answers, through short outages; the attempt's lease bounds how long that
 * may take, for its end fires the signal.
 *
 * @param what names it in the error
 * @throws what the store threw, when trying again will not help
 * @throws the signal's reason
 */
export async function retryUntilAborted<T>(
  what: string,
  signal: AbortSignal,
  call: () => Promise<T>,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    try {
      return await within(TIMEOUT_MS, call(), what);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof LongshoreError && error.retryable)) throw error;
      await sleep(retryDelayMs(BACKOFF, failures, Math.random()), undefined, { signal }).catch(
        () => {},
      );
    }
  }
}
