import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { describeService } from '@longshore/testing/suites';
import { type Logger, PeriodicLoop, type PeriodicLoopOptions, silentLogger } from '../src/index.ts';

const HOUR_MS = 3_600_000;

function newLoop(options: Partial<PeriodicLoopOptions>): PeriodicLoop {
  return new PeriodicLoop({
    name: 'test',
    intervalMs: HOUR_MS,
    minGapMs: 0,
    maxBackoffMs: HOUR_MS,
    run: async () => {},
    log: silentLogger,
    ...options,
  });
}

describe('periodic loop', () => {
  it('runs at once and then at its interval', async () => {
    let runs = 0;
    const run = async (): Promise<void> => {
      runs += 1;
    };
    const loop = newLoop({ intervalMs: 5, run });
    await loop.start();
    await waitFor(() => runs >= 3, { what: 'three runs' });
    await loop.stop();
  });

  it('runs soon when poked, and once for many pokes', async () => {
    let runs = 0;
    const run = async (): Promise<void> => {
      runs += 1;
    };
    const loop = newLoop({ minGapMs: 50, run });
    await loop.start();
    for (let count = 0; count < 100; count += 1) loop.poke();
    await waitFor(() => runs === 2, { what: 'the second run' });
    await loop.stop();
    expect(runs).toBe(2);
  });

  it('runs again when poked during a run', async () => {
    let runs = 0;
    const loop: PeriodicLoop = newLoop({
      run: async () => {
        runs += 1;
        if (runs === 1) loop.poke();
      },
    });
    await loop.start();
    await waitFor(() => runs === 2, { what: 'the second run' });
    await loop.stop();
  });

  it('logs a failure and goes on, but not because somebody pokes', async () => {
    const warnings: string[] = [];
    const log: Logger = {
      ...silentLogger,
      warn: (_fields, message) => void warnings.push(message),
    };
    let runs = 0;
    const loop = newLoop({
      intervalMs: 20,
      maxBackoffMs: 300,
      log,
      run: async () => {
        runs += 1;
        if (runs < 3) throw new Error('planted');
      },
    });
    const poking = setInterval(() => loop.poke(), 1);
    await loop.start();
    const before = performance.now();
    await waitFor(() => runs >= 3, { what: 'the run after the failures' });
    clearInterval(poking);
    await loop.stop();
    // Twice and four times the interval, less a fifth by chance.
    expect(performance.now() - before).toBeGreaterThan(90);
    expect(warnings).toEqual(['test failed', 'test failed']);
  });

  it('waits at stop for the run under way, which is told', async () => {
    const events: string[] = [];
    const loop = newLoop({
      run: (signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            events.push('told');
            setImmediate(() => {
              events.push('ended');
              resolve();
            });
          });
        }),
    });
    await loop.start();
    await loop.stop();
    events.push('stopped');
    expect(events).toEqual(['told', 'ended', 'stopped']);
  });

  describeService('periodic loop', () => newLoop({ intervalMs: 1 }));
});

describe('a loop that beats', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  function setup(minGapMs = 0, run: () => Promise<void> = async () => {}) {
    const startedAt: number[] = [];
    const begin = performance.now();
    const loop = newLoop({
      pace: 'beat',
      intervalMs: 1_000,
      minGapMs,
      run: async () => {
        startedAt.push(Math.round(performance.now() - begin));
        await run();
      },
    });
    return { loop, startedAt };
  }

  it('runs once per interval', async () => {
    const { loop, startedAt } = setup();
    await loop.start();
    await jest.advanceTimersByTimeAsync(3_500);
    await loop.stop();
    expect(startedAt).toEqual([1_000, 2_000, 3_000]);
  });

  it('starts the next run when a long one has ended, and never two at once', async () => {
    const { loop, startedAt } = setup(
      0,
      () => new Promise((resolve) => void setTimeout(resolve, 1_500)),
    );
    await loop.start();
    await jest.advanceTimersByTimeAsync(5_200);
    const gapsMs = startedAt.slice(1).map((at, index) => at - (startedAt[index] ?? 0));
    expect(gapsMs).toHaveLength(2);
    expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(1_500);
    const stopped = loop.stop();
    await jest.advanceTimersByTimeAsync(1_500);
    await stopped;
  });

  it('runs sooner when poked, but keeps the gap', async () => {
    const { loop, startedAt } = setup(300);
    await loop.start();
    await jest.advanceTimersByTimeAsync(1_100);
    loop.poke();
    loop.poke();
    await jest.advanceTimersByTimeAsync(500);
    expect(startedAt).toEqual([1_000, 1_300]);
    await loop.stop();
  });

  it('remembers a poke that came during a run', async () => {
    const { loop, startedAt } = setup(
      200,
      () => new Promise((resolve) => void setTimeout(resolve, 50)),
    );
    await loop.start();
    await jest.advanceTimersByTimeAsync(1_010);
    loop.poke();
    await jest.advanceTimersByTimeAsync(400);
    expect(startedAt).toEqual([1_000, 1_200]);
    await loop.stop();
  });

  it('survives being started twice, stopped twice and stopped before its start', async () => {
    const { loop, startedAt } = setup();
    await loop.stop();
    await loop.start();
    await loop.start();
    await jest.advanceTimersByTimeAsync(1_000);
    await loop.stop();
    await loop.stop();
    loop.poke();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(startedAt).toEqual([1_000]);
    expect(jest.getTimerCount()).toBe(0);
  });
});
