import { diagnosisOf, type LongshoreError, serverFailure } from '@longshore/core';

/** @param what was being done, such as `writing a file` */
export function unavailable(what: string, cause: unknown): LongshoreError {
  return serverFailure('FILE_STORE_UNAVAILABLE', `${what} failed: ${diagnosisOf(cause)}`, cause);
}
