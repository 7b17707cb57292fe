import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { describeService } from '@longshore/testing/suites';
import { PeriodicLoop, type PeriodicLoopOptions } from '../src/maintenance/periodic-loop.ts';
import { recordingLogger } from './support/recording-logger.ts';

const HOUR_MS = 3_600_000;

function newLoop(options: Partial<PeriodicLoopOptions>): PeriodicLoop {
  return new PeriodicLoop({
    name: 'test',
    intervalMs: HOUR_MS,
    minGapMs: 0,
    maxBackoffMs: HOUR_MS,
    run: async () => {},
    log: recordingLogger().log,
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
    const { log, lines } = recordingLogger();
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
    expect(lines).toMatchObject([{ message: 'test failed' }, { message: 'test failed' }]);
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
