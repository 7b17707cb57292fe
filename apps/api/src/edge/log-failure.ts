import type { Logger } from '@longshore/core';
import { errorToWire } from '@longshore/protocol';

/** What the server could not do is for its operators; what it refused is for the client, which is told. */
export function logFailure(log: Logger, error: unknown): void {
  const { httpStatus } = errorToWire(error);
  if (httpStatus < 500) log.debug({ err: error }, 'request refused');
  else if (httpStatus === 503) log.warn({ err: error }, 'request could not be served');
  else log.error({ err: error }, 'request failed');
}
