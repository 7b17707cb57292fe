import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RepeatingTask } from '../../src/services/repeating-task.ts';

describe('RepeatingTask', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  function setup(run: () => Promise<void> = async () => {}) {
    const startedAt: number[] = [];
    const begin = performance.now();
    const task = new RepeatingTask({
      intervalMs: 1_000,
      run: async () => {
        startedAt.push(Math.round(performance.now() - begin));
        await run();
      },
    });
    return { task, startedAt };
  }

  it('runs once per interval', async () => {
    const { task, startedAt } = setup();
    await task.start();
    await jest.advanceTimersByTimeAsync(3_500);
    await task.stop();
    expect(startedAt).toEqual([1_000, 2_000, 3_000]);
  });

  it('starts the next run when a long one has ended, and never two at once', async () => {
    const { task, startedAt } = setup(
      () => new Promise((resolve) => void setTimeout(resolve, 1_500)),
    );
    await task.start();
    await jest.advanceTimersByTimeAsync(5_200);
    const gapsMs = startedAt.slice(1).map((at, index) => at - (startedAt[index] ?? 0));
    expect(gapsMs).toHaveLength(2);
    expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(1_500);
    const stopped = task.stop();
    await jest.advanceTimersByTimeAsync(1_500);
    await stopped;
  });

  it('runs sooner when asked to, but keeps the spacing', async () => {
    const { task, startedAt } = setup();
    await task.start();
    await jest.advanceTimersByTimeAsync(1_100);
    task.soon(300);
    task.soon(300);
    await jest.advanceTimersByTimeAsync(500);
    expect(startedAt).toEqual([1_000, 1_300]);
    await task.stop();
  });

  it('remembers a wish that came during a run', async () => {
    const { task, startedAt } = setup(() => new Promise((resolve) => void setTimeout(resolve, 50)));
    await task.start();
    await jest.advanceTimersByTimeAsync(1_010);
    task.soon(200);
    await jest.advanceTimersByTimeAsync(400);
    expect(startedAt).toEqual([1_000, 1_200]);
    await task.stop();
  });

  it('survives being started twice, stopped twice and stopped before its start', async () => {
    const { task, startedAt } = setup();
    await task.stop();
    await task.start();
    await task.start();
    await jest.advanceTimersByTimeAsync(1_000);
    await task.stop();
    await task.stop();
    task.soon(0);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(startedAt).toEqual([1_000]);
    expect(jest.getTimerCount()).toBe(0);
  });
});
