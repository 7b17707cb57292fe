import { LongshoreError } from '@longshore/core';

/** QUEUE_UNAVAILABLE with the reason of the server or driver as its cause. */
export function queueUnavailable(what: string, cause?: unknown): LongshoreError {
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return new LongshoreError('QUEUE_UNAVAILABLE', `${what}${why}`, { cause });
}
