import { LongshoreError, withDeadline } from '@longshore/core';

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
