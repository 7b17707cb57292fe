import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TimeLimit } from '../../src/attempts/time-limit.ts';

describe('TimeLimit', () => {
  let over: jest.Mock<() => void>;
  let limit: TimeLimit;
  beforeEach(() => {
    jest.useFakeTimers();
    over = jest.fn();
    limit = new TimeLimit(1_000, over);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is over after its time', () => {
    limit.start();
    jest.advanceTimersByTime(999);
    expect(over).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(over).toHaveBeenCalledTimes(1);
  });

  it('stands still until the last pause has ended, and goes on where it was', () => {
    limit.start();
    jest.advanceTimersByTime(600);
    limit.pause();
    limit.pause();
    jest.advanceTimersByTime(100_000);
    limit.resume();
    jest.advanceTimersByTime(100_000);
    limit.resume();
    jest.advanceTimersByTime(399);
    expect(over).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(over).toHaveBeenCalledTimes(1);
  });

  it('does not run before it is started, nor when it was stopped in a pause', () => {
    limit.pause();
    limit.resume();
    jest.advanceTimersByTime(10_000);
    limit.start();
    limit.pause();
    limit.stop();
    limit.resume();
    jest.advanceTimersByTime(10_000);
    expect(over).not.toHaveBeenCalled();
  });
});
