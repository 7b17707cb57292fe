import { describe, expect, it } from '@jest/globals';
import { isAtLeast, LOG_LEVELS } from '../src/log-level.ts';

describe('isAtLeast', () => {
  it('orders the levels from debug to emergency', () => {
    expect(LOG_LEVELS).toEqual([
      'debug',
      'info',
      'notice',
      'warning',
      'error',
      'critical',
      'alert',
      'emergency',
    ]);
    for (const [rank, level] of LOG_LEVELS.entries()) {
      expect(LOG_LEVELS.filter((threshold) => isAtLeast(level, threshold))).toEqual(
        LOG_LEVELS.slice(0, rank + 1),
      );
    }
  });
});
