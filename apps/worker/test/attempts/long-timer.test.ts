import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { startLongTimer } from '../../src/attempts/long-timer.ts';

const DAY_MS = 86_400_000;

describe('startLongTimer', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each([1, DAY_MS, 40 * DAY_MS])('fires once after %i ms, and not before', (delayMs) => {
    const fire = jest.fn();
    startLongTimer(delayMs, fire);
    jest.advanceTimersByTime(delayMs - 1);
    expect(fire).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(fire).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('does not fire when stopped, in its second stretch either', () => {
    const fire = jest.fn();
    const stop = startLongTimer(40 * DAY_MS, fire);
    jest.advanceTimersByTime(30 * DAY_MS);
    stop();
    jest.advanceTimersByTime(30 * DAY_MS);
    expect(fire).not.toHaveBeenCalled();
  });

  it('fires when the time is over already', () => {
    const fire = jest.fn();
    startLongTimer(-5, fire);
    jest.advanceTimersByTime(1);
    expect(fire).toHaveBeenCalledTimes(1);
  });
});
