import { LongshoreError } from '@longshore/core';

/** @param what was being done, such as `writing a file` */
export function unavailable(what: string, cause: unknown): LongshoreError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new LongshoreError('FILE_STORE_UNAVAILABLE', `${what} failed: ${reason}`, { cause });
}
