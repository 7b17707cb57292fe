import { setTimeout as sleep } from 'node:timers/promises';

/** Waits, unless the run is over before. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return sleep(milliseconds, undefined, { signal });
}
