import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { silentLogger } from '@longshore/core';
import { OfferChanges } from '../../src/services/offer-changes.ts';

describe('OfferChanges', () => {
  let changes: OfferChanges;
  beforeEach(() => {
    jest.useFakeTimers();
    changes = new OfferChanges(silentLogger);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('applies changes that come close together once', async () => {
    const apply = jest.fn(async () => {});
    changes.connect(apply);
    changes.changed();
    changes.changed();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(apply).toHaveBeenCalledTimes(1);
    changes.changed();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(apply).toHaveBeenCalledTimes(2);
  });

  it('sees to a change that came before the worker', async () => {
    const apply = jest.fn(async () => {});
    changes.changed();
    await jest.advanceTimersByTimeAsync(1_000);
    changes.connect(apply);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(apply).toHaveBeenCalledTimes(1);
  });

  it('applies one after the other, and goes on after a failure', async () => {
    const begun: number[] = [];
    const begin = performance.now();
    changes.connect(async () => {
      begun.push(Math.round(performance.now() - begin));
      await new Promise((resolve) => void setTimeout(resolve, 500));
      if (begun.length === 1) throw new Error('a plugin failed');
    });
    changes.changed();
    await jest.advanceTimersByTimeAsync(200);
    changes.changed();
    await jest.advanceTimersByTimeAsync(2_000);
    expect(begun).toEqual([100, 600]);
  });

  it('is closed when the last change is through, and hears of no more', async () => {
    let isApplied = false;
    const apply = jest.fn(async () => {
      await new Promise((resolve) => void setTimeout(resolve, 500));
      isApplied = true;
    });
    changes.connect(apply);
    changes.changed();
    await jest.advanceTimersByTimeAsync(200);
    const closed = changes.close().then(() => isApplied);
    changes.changed();
    await jest.advanceTimersByTimeAsync(2_000);
    await expect(closed).resolves.toBe(true);
    expect(apply).toHaveBeenCalledTimes(1);
  });
});
