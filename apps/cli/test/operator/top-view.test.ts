import { describe, expect, it } from '@jest/globals';
import { HISTOGRAM_EDGES_MS } from '@longshore/operator/histogram';
import { recentPast } from '../../src/operator/recent-past.ts';
import { type Fleet, viewOf } from '../../src/operator/top-view.ts';

const NOTHING = Array.from({ length: HISTOGRAM_EDGES_MS.length + 1 }, () => 0);
/** All below 10 ms. */
const quick = (count: number): number[] => [count, ...NOTHING.slice(1)];

const bucket = (at: string, completed: number, failed: number, cancelled: number) => ({
  at,
  completed,
  failed,
  cancelled,
  waitHistogram: quick(completed + failed),
  runHistogram: quick(completed + failed),
});

const stats = (...ended: ReturnType<typeof bucket>[]) => ({
  from: '2027-01-01T11:01:00.000Z',
  to: '2027-01-01T12:01:00.000Z',
  stepMs: 60_000,
  ended,
  gauges: [],
  tools: [],
  versions: [],
  foldedUntil: '2027-01-01T12:00:30.000Z',
});

const RECENT = recentPast(
  stats(
    bucket('2027-01-01T11:55:00.000Z', 1_000, 1_000, 0),
    bucket('2027-01-01T11:56:00.000Z', 6, 1, 2),
    bucket('2027-01-01T12:00:00.000Z', 0, 1, 0),
  ),
);

describe('the recent past', () => {
  it('is of the last five minutes, the one that goes on included', () => {
    expect(RECENT).toMatchObject({ spanMs: 270_000, ended: 10, failedShare: 0.25 });
    expect(RECENT.perMinute).toBeCloseTo(10 / 4.5);
    expect(RECENT.runMs).toEqual({ p50: 5, p95: 9.5 });
  });

  it('has no share and no times of nothing', () => {
    expect(recentPast(stats())).toEqual({
      spanMs: 270_000,
      ended: 0,
      perMinute: 0,
      failedShare: null,
      waitMs: null,
      runMs: null,
    });
  });

  it('does not take what was cancelled for a success', () => {
    const past = recentPast(stats(bucket('2027-01-01T12:00:00.000Z', 0, 0, 3)));
    expect([past.ended, past.failedShare]).toEqual([3, null]);
  });
});

describe('the view', () => {
  const fleet = (attention: number): Fleet => ({
    overview: {
      now: '2027-01-01T12:00:30.000Z',
      open: { waiting: 5, ready: 4, retrying: 3, running: 2, inputRequired: 1 },
      oldestWaitMs: 12_000,
      workers: { live: 2, draining: 1, seats: 8 },
      attention: Array.from({ length: attention }, (_, index) => ({
        kind: 'failing',
        message: `tool\u001B[2J ${index} fails`,
        tool: 'x',
        queue: null,
      })),
    },
    recent: RECENT,
    queues: [],
    workers: [],
  });

  it('says how the whole stands', () => {
    expect(viewOf('http://x/mcp', fleet(0), null).slice(1)).toEqual([
      'open      15: 5 waiting, 4 ready, 3 retrying, 2 running, 1 asking',
      'oldest    waits for 12 s',
      'ended     10 in 5 min, 2.2 a minute, 25.0 % failed',
      'took      to start 5 ms, 95 % below 10 ms; to run 5 ms, 95 % below 10 ms',
      'workers   2 live, 1 draining; 0 of 8 seats taken',
      '',
      'Nothing needs attention.',
    ]);
  });

  it('is no wider than the terminal, has a bounded number of warnings, and nothing in it moves the cursor', () => {
    const lines = viewOf('http://x/mcp', fleet(10), 30);
    expect(lines.every((line) => line.length <= 30)).toBe(true);
    expect(lines.filter((line) => line.startsWith('- '))).toHaveLength(9);
    expect(lines).toContain('- and 2 more');
    expect(lines.join('')).not.toContain('\u001B');
  });
});
