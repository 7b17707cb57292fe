import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Polling } from '../src/card/polling.ts';

type See = (entries: readonly { readonly isIntersecting: boolean }[]) => void;

describe('polling of a card', () => {
  const page = {
    hidden: false,
    documentElement: {},
    addEventListener: (_: string, heard: () => void) => wakes.push(heard),
  };
  const wakes: (() => void)[] = [];
  const sights: See[] = [];
  let asked: number;
  let answer: () => number | null;
  let started: number;

  beforeEach(() => {
    jest.useFakeTimers();
    asked = 0;
    started = Date.now();
    page.hidden = false;
    class Sight {
      constructor(see: See) {
        sights.push(see);
      }
      observe(): void {}
    }
    Object.assign(globalThis, { document: page, window: globalThis, IntersectionObserver: Sight });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const polling = () =>
    new Polling({
      ask: async () => {
        asked += 1;
        return answer();
      },
      failed: () => {},
    });
  /** When it asks, in ms from the start. */
  const times = async (count: number): Promise<number[]> => {
    const seen: number[] = [];
    for (let known = asked; seen.length < count; ) {
      await jest.advanceTimersByTimeAsync(100);
      if (asked > known) seen.push(Date.now() - started);
      known = asked;
    }
    return seen;
  };

  it('asks again when the server says, and not after the end', async () => {
    const pauses = [500, 2_000, null];
    answer = () => pauses.shift() ?? null;
    const one = polling();
    one.again();
    expect(await times(2)).toEqual([500, 2_500]);
    await jest.advanceTimersByTimeAsync(60_000);
    one.now();
    expect(asked).toBe(3);
    one.again();
    expect(asked).toBe(4);
  });

  it('asks half as often after each failure, up to a bound, and as before when there is an answer', async () => {
    answer = () => {
      if (asked < 7) throw new Error('away');
      return 1_000;
    };
    polling().again();
    const at = await times(8);
    expect(at.map((time, index) => time - (at[index - 1] ?? 0))).toEqual([
      3_000, 6_000, 12_000, 15_000, 15_000, 15_000, 1_000, 1_000,
    ]);
  });

  it('asks less often in a hidden page, at once when it is back, and never out of sight', async () => {
    answer = () => 1_000;
    page.hidden = true;
    const one = polling();
    one.again();
    expect(await times(1)).toEqual([5_000]);
    page.hidden = false;
    wakes.at(-1)?.();
    expect(asked).toBe(3);
    sights.at(-1)?.([{ isIntersecting: false }]);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(asked).toBe(3);
    sights.at(-1)?.([{ isIntersecting: true }]);
    expect(asked).toBe(4);
    one.stop();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(asked).toBe(4);
  });
});
