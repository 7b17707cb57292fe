import { type ErrorCode, LongshoreError } from '@longshore/core';
import { errorToWire } from '@longshore/protocol';
import type { RecordedLog } from './request-log.ts';

/** What credentials or an origin did not allow. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'FORBIDDEN_ORIGIN',
  'INSUFFICIENT_SCOPE',
  'UNAUTHENTICATED',
]);

/** What the server could not do is for its operators; what it refused is for the client, which is told. */
export function logFailure(log: RecordedLog, error: unknown): void {
  if (error instanceof LongshoreError) {
    const { code } = error;
    if (REFUSALS.has(code)) log.auditCount('refused', null, code);
    if (code === 'TASK_NOT_FOUND') log.auditCount('lookups_failed', null);
  }
  const { httpStatus } = errorToWire(error);
  if (httpStatus < 500) log.debug({ err: error }, 'request refused');
  else if (httpStatus === 503) log.warn({ err: error }, 'request could not be served');
  else log.error({ err: error }, 'request failed');
}
