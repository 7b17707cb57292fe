import { beforeEach, describe, expect, it } from '@jest/globals';
import { QueueDepth } from '../src/maintenance/queue-depth.ts';

const SEATS = 4;

describe('depth of a queue', () => {
  let depth: QueueDepth;
  let now: number;

  beforeEach(() => {
    depth = new QueueDepth(100);
    now = 0;
    look(0, 0, false);
  });

  const look = (afterMs: number, waiting: number, hadBacklog = true, seats = SEATS): number => {
    now += afterMs;
    depth.saw({ waiting, seats, hadBacklog, at: now });
    return depth.jobs;
  };

  it('is as many jobs as there are seats, and some while nobody works', () => {
    expect(look(1_000, 4)).toBe(4);
    expect(look(1_000, 4, true, 9)).toBe(9);
    expect(look(1_000, 9, true, 0)).toBe(8);
  });

  it('doubles while the workers empty it between two looks, up to the window', () => {
    expect([look(25, 0), look(25, 0), look(25, 1)]).toEqual([4, 4, 8]);
    expect([look(25, 0), look(25, 3), look(25, 0)]).toEqual([16, 32, 64]);
    expect([look(25, 0), look(25, 0)]).toEqual([100, 100]);
  });

  it('stays when all tasks end at once, or looks are slow', () => {
    expect([look(25, 0), look(25, 0), look(25, 4)]).toEqual([4, 4, 4]);
    expect([look(25, 0), look(25, 0), look(176, 0)]).toEqual([4, 4, 4]);
  });

  it('stays when it is empty because there is no backlog', () => {
    expect([look(25, 0, false), look(25, 0, false), look(25, 0, false)]).toEqual([4, 4, 4]);
  });

  it('goes back when half of it is left, and when it was not empty for some seconds', () => {
    for (let round = 0; round < 5; round += 1) look(25, 0);
    expect(depth.jobs).toBe(32);
    expect([look(25, 16), look(25, 7, false), look(25, 8)]).toEqual([16, 16, 8]);
    expect([look(3_000, 0, false), look(1, 0, false), look(1, 0, false)]).toEqual([8, 4, 4]);
  });
});
