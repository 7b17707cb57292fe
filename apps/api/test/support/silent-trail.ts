import { silentLogger } from '@longshore/core';
import type { RecordedLog, RequestLog } from '../../src/edge/request-log.ts';

/** Puts nothing on record. */
export const NO_TRAIL: ConstructorParameters<typeof RequestLog>[1] = {
  note: () => {},
  count: () => {},
};

export const silentRecord: RecordedLog = { ...silentLogger, audit: () => {}, auditCount: () => {} };
