import { type Era, LongshoreError } from '@longshore/core';
import { errorToWire } from '../../src/shared/error-to-wire.ts';

export interface Refusal {
  readonly code: string;
  readonly rpc: number;
  readonly http: number;
  readonly details: unknown;
}

/** What a client gets for the error that `run` throws; null when it throws none. */
export function refusal(run: () => unknown, era: Era = 'modern'): Refusal | null {
  try {
    run();
    return null;
  } catch (error) {
    if (!(error instanceof LongshoreError)) throw error;
    const wire = errorToWire(error, era);
    return { code: error.code, rpc: wire.code, http: wire.httpStatus, details: error.details };
  }
}
