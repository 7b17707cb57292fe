import { diagnosisOf, type LongshoreError, serverFailure } from '@longshore/core';

/** QUEUE_UNAVAILABLE, which tells operators what was tried and the reason of the server or driver. */
export function queueUnavailable(what: string, cause?: unknown): LongshoreError {
  const why = cause === undefined ? '' : `: ${diagnosisOf(cause)}`;
  return serverFailure('QUEUE_UNAVAILABLE', `${what}${why}`, cause);
}
