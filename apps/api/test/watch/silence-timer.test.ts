import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Progress } from '@longshore/core';
import { SilenceTimer } from '../../src/watch/silence-timer.ts';

const AFTER_MS = 10_000;
const at = (progress: number): Progress => ({ progress, total: null, message: null });

describe('a timer of silence', () => {
  const beats: (Progress | null)[] = [];
  let timer: SilenceTimer;
  const start = (read: () => Promise<Progress | null>): void => {
    timer = new SilenceTimer(AFTER_MS, read, (progress) => beats.push(progress));
  };
  beforeEach(() => {
    jest.useFakeTimers();
    beats.length = 0;
  });
  afterEach(() => {
    timer.stop();
    jest.useRealTimers();
  });

  it('beats with what the row has by then, read once per beat', async () => {
    let reads = 0;
    start(() => {
      reads += 1;
      return Promise.resolve(at(reads));
    });
    await jest.advanceTimersByTimeAsync(AFTER_MS - 1);
    expect(beats).toEqual([]);
    await jest.advanceTimersByTimeAsync(2 * AFTER_MS);
    expect(beats).toEqual([at(1), at(2)]);
    timer.heard();
    await jest.advanceTimersByTimeAsync(AFTER_MS - 1);
    expect(reads).toBe(2);
  });

  it.each<[string, () => Promise<Progress | null>]>([
    ['can not be read', () => Promise.reject(new Error('away'))],
    ['does not come', () => new Promise(() => {})],
  ])('beats without when it %s', async (_, read) => {
    start(read);
    await jest.advanceTimersByTimeAsync(AFTER_MS + 1_000);
    expect(beats).toEqual([null]);
  });

  it.each<[string, () => void]>([
    ['something is heard', () => timer.heard()],
    ['it is stopped', () => timer.stop()],
  ])('does not beat when %s while the row is read', async (_, meanwhile) => {
    let answer: (progress: Progress) => void = () => {};
    start(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    await jest.advanceTimersByTimeAsync(AFTER_MS);
    meanwhile();
    answer(at(1));
    await jest.advanceTimersByTimeAsync(0);
    expect(beats).toEqual([]);
  });
});
