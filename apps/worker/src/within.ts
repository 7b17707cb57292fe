import { LongshoreError } from '@longshore/core';

/**
 * The promise's value, or an error after `timeoutMs` milliseconds; what comes later is ignored.
 *
 * @param what names the awaited thing in the error
 * @throws {LongshoreError} DATABASE_UNAVAILABLE
 */
export async function within<T>(timeoutMs: number, promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(
        new LongshoreError('DATABASE_UNAVAILABLE', `${what} took longer than ${timeoutMs} ms`),
      );
    }, timeoutMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
