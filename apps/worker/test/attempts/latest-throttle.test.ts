import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LatestThrottle } from '../../src/attempts/latest-throttle.ts';

describe('LatestThrottle', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  function setup(send: (value: number) => Promise<void> = async () => {}) {
    const sent: number[] = [];
    const throttle = new LatestThrottle<number>(100, async (value) => {
      sent.push(value);
      await send(value);
    });
    return { sent, throttle };
  }

  it('sends the first value at once', () => {
    const { sent, throttle } = setup();
    throttle.push(1);
    expect(sent).toEqual([1]);
  });

  it('sends the latest of the values that came within the interval, and only after it', async () => {
    const { sent, throttle } = setup();
    throttle.push(1);
    throttle.push(2);
    throttle.push(3);
    await jest.advanceTimersByTimeAsync(99);
    expect(sent).toEqual([1]);
    await jest.advanceTimersByTimeAsync(1);
    expect(sent).toEqual([1, 3]);
  });

  it('sends a value at once again when the last one is an interval ago', async () => {
    const { sent, throttle } = setup();
    throttle.push(1);
    await jest.advanceTimersByTimeAsync(100);
    throttle.push(2);
    expect(sent).toEqual([1, 2]);
  });

  it('sends at most one value per interval, however many are pushed', async () => {
    const { sent, throttle } = setup();
    for (let value = 0; value < 1_000; value += 1) {
      throttle.push(value);
      await jest.advanceTimersByTimeAsync(1);
    }
    throttle.flush();
    expect(sent.length).toBeLessThanOrEqual(11);
    expect(sent.length).toBeGreaterThanOrEqual(10);
    expect(sent.at(-1)).toBe(999);
  });

  it('sends the waiting value on flush without waiting for its turn', async () => {
    const { sent, throttle } = setup();
    throttle.push(1);
    throttle.push(2);
    throttle.flush();
    expect(sent).toEqual([1, 2]);
  });

  it('never sends two values at once, and drops those that come while one is under way', async () => {
    let release = (): void => {};
    const { sent, throttle } = setup(
      () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    );
    throttle.push(1);
    throttle.push(2);
    throttle.push(3);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(sent).toEqual([1]);
    release();
    await jest.advanceTimersByTimeAsync(100);
    expect(sent).toEqual([1, 3]);
  });

  it('sends the waiting value on flush even while another is under way', () => {
    const { sent, throttle } = setup(() => new Promise(() => {}));
    throttle.push(1);
    throttle.push(2);
    throttle.flush();
    expect(sent).toEqual([1, 2]);
  });

  it('sends nothing after close', async () => {
    const { sent, throttle } = setup();
    throttle.push(1);
    throttle.push(2);
    throttle.close();
    throttle.push(3);
    throttle.flush();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(sent).toEqual([1]);
    expect(jest.getTimerCount()).toBe(0);
  });
});
