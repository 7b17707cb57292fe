import { diagnosisOf } from '@longshore/core';

/*
 * Errors are looked at by their fields, not by `instanceof`: inside jest the errors of Node's own modules
 * come from another realm and are no instances of the `Error` seen here.
 */

/** Whether it is a system error of this code, such as `EEXIST`. */
export function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}

/** What went wrong, in words: what a failed program wrote, else the error's message. */
export function reasonOf(error: unknown): string {
  const isProgram = typeof error === 'object' && error !== null && 'stderr' in error;
  const written = isProgram && typeof error.stderr === 'string' ? error.stderr.trim() : '';
  return written === '' ? diagnosisOf(error) : written;
}
