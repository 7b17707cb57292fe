import type { Backoff } from './tool.ts';

/**
 * Milliseconds to wait before the next attempt, after `failures` failed ones.
 * Exponential with "equal jitter": half of the delay is fixed, half random, so that many tasks that
 * failed together do not come back together, and none comes back at once.
 *
 * @param failures how often the task has failed so far, at least 1
 * @param random 0 (inclusive) to 1 (exclusive)
 */
export function retryDelayMs(backoff: Backoff, failures: number, random: number): number {
  const full = Math.min(backoff.maxMs, backoff.baseMs * backoff.factor ** (failures - 1));
  return Math.round(full / 2 + (full / 2) * random);
}
