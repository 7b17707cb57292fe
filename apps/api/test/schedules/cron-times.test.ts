import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkCron, dueTimes, timesAfter } from '../../src/schedules/cron-times.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const BERLIN = 'Europe/Berlin';

const iso = (times: readonly Date[]): string[] => times.map((time) => time.toISOString());
const after = (cron: string, timeZone: string, from: string, count: number): string[] =>
  iso(timesAfter({ cron, timeZone }, new Date(from), count));

describe('a cron expression', () => {
  it.each(['0 9 * * 1-5', '*/5 * * * *', '@daily', '@weekdays', '0 0 29 2 *', '  0  9 * * mon '])(
    'is taken: %s',
    (cron) => {
      expect(() => checkCron(cron, 'UTC', NOW)).not.toThrow();
    },
  );

  it.each([
    ['* * * * * *', 'no seconds'],
    ['@secondly', 'none of'],
    ['@reboot', 'none of'],
    ['', 'five fields'],
    ['tomorrow', 'five fields'],
    ['61 * * * *', 'no cron expression'],
    ['a b c d e', 'no cron expression'],
    ['H 9 * * *', 'has an H'],
    ['0 0 30 2 *', 'never comes true'],
    ['0 0 31 4,6 *', 'never comes true'],
  ])('is refused: %j, for it %s', (cron, reason) => {
    expect(() => checkCron(cron, 'UTC', NOW)).toThrow(reason);
  });

  it('is read in its zone', () => {
    expect(after('0 9 * * 1-5', BERLIN, '2026-11-20T12:00:00Z', 2)).toEqual([
      '2026-11-23T08:00:00.000Z',
      '2026-11-24T08:00:00.000Z',
    ]);
    expect(after('0 9 * * *', 'Asia/Kathmandu', '2026-11-20T12:00:00Z', 1)).toEqual([
      '2026-11-21T03:15:00.000Z',
    ]);
  });
});

describe('where clocks go forward', () => {
  it('a time that is left out is due an hour later, once', () => {
    expect(after('30 2 * * *', BERLIN, '2026-03-28T12:00:00Z', 3)).toEqual([
      '2026-03-29T01:30:00.000Z',
      '2026-03-30T00:30:00.000Z',
      '2026-03-31T00:30:00.000Z',
    ]);
  });

  it('what is due every half hour goes on without a gap', () => {
    const times = timesAfter(
      { cron: '*/30 * * * *', timeZone: BERLIN },
      new Date('2026-03-28T23:45:00Z'),
      8,
    );
    const steps = times.slice(1).map((time, at) => time.getTime() - (times[at]?.getTime() ?? 0));
    expect(new Set(steps)).toEqual(new Set([1_800_000]));
  });
});

describe('where clocks go back', () => {
  it('a time that comes twice is due the first time', () => {
    expect(after('30 2 * * *', BERLIN, '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
  });

  it('also when it is run late, in the repeated hour', () => {
    // At 02:10 winter time 02:30 is to come, read from there; it was due before, in summer time.
    const due = new Date('2026-10-25T00:30:00Z');
    const late = new Date('2026-10-25T01:10:00Z');
    const { times, count, next } = dueTimes({ cron: '30 2 * * *', timeZone: BERLIN }, due, late);
    expect([iso(times), count, next?.toISOString()]).toEqual([
      ['2026-10-25T00:30:00.000Z'],
      1,
      '2026-10-26T01:30:00.000Z',
    ]);
  });
});

describe('times that are over', () => {
  const minutely = { cron: '* * * * *', timeZone: 'UTC' };
  const due = new Date('2026-11-20T12:00:00Z');
  const minutesLater = (minutes: number): Date => new Date(due.getTime() + minutes * 60_000);

  it('are counted from the next one on, the time itself included', () => {
    const { times, count, next } = dueTimes(minutely, due, minutesLater(2));
    expect(iso(times)).toEqual(iso([due, minutesLater(1), minutesLater(2)]));
    expect([count, next]).toEqual([3, minutesLater(3)]);
  });

  it.each([[150], [299], [300], [5_000], [600_000]])(
    'are the latest hundred of %i, and what comes is what comes then',
    (minutes) => {
      const { times, count, next } = dueTimes(minutely, due, minutesLater(minutes));
      expect(times).toHaveLength(100);
      expect([times[0], times[99]]).toEqual([minutesLater(minutes - 99), minutesLater(minutes)]);
      expect(next).toEqual(minutesLater(minutes + 1));
      expect(count).toBe(Math.min(minutes + 1, 301));
    },
  );

  it('are the one of what runs once', () => {
    expect(dueTimes({ cron: null, timeZone: 'UTC' }, due, minutesLater(9))).toEqual({
      times: [due],
      count: 1,
      next: null,
    });
  });

  it('follow one another without a gap or a repetition, however often one looks', () => {
    const zones = fc.constantFrom(BERLIN, 'America/New_York', 'Asia/Tokyo', 'America/Sao_Paulo');
    const crons = fc.constantFrom('*/20 * * * *', '30 2 * * *', '15 */3 * * *', '0 0 * * *');
    const start = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2026, 11) });
    const waits = fc.array(fc.integer({ min: 1, max: 90_000 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(zones, crons, start, waits, (timeZone, cron, startMs, seconds) => {
        const timing = { cron, timeZone };
        const from = new Date(startMs);
        const [first = from] = timesAfter(timing, from, 1);
        let now = first;
        let next: Date | null = first;
        const seen: Date[] = [];
        for (const wait of seconds) {
          now = new Date(now.getTime() + wait * 1_000);
          if (next === null || next > now) continue;
          const looked = dueTimes(timing, next, now);
          seen.push(...looked.times.slice(-looked.count));
          next = looked.next;
        }
        if (seen.length < 100) {
          expect(iso(seen)).toEqual(iso(timesAfter(timing, from, seen.length)));
        }
      }),
      { numRuns: 25 },
    );
  });
});
