import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { retryDelayMs } from '../src/retry-schedule.ts';

const backoff = { baseMs: 1_000, factor: 2, maxMs: 60_000 };

describe('retryDelayMs', () => {
  it('doubles from the base up to the maximum', () => {
    const full = (failures: number) => retryDelayMs(backoff, failures, 0.999_999_9);
    expect([1, 2, 3, 6, 7, 50].map(full)).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000]);
  });

  it('never comes back at once and never waits longer than the full delay', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (failures, random) => {
          const full = Math.min(backoff.maxMs, backoff.baseMs * backoff.factor ** (failures - 1));
          const delay = retryDelayMs(backoff, failures, random);
          expect(delay).toBeGreaterThanOrEqual(full / 2);
          expect(delay).toBeLessThanOrEqual(full);
        },
      ),
    );
  });
});
