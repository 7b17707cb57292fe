import { describe, expect, it } from '@jest/globals';
import { eventText } from '../src/state/event-text.ts';
import { roundingProblem } from '../src/state/exact-numbers.ts';
import { rateOf, timeLeftText, withSample } from '../src/state/rate.ts';
import {
  ageText,
  bytesText,
  durationText,
  instantText,
  shareText,
} from '../src/state/time-text.ts';

describe('texts', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [4_240, '4.2 s'],
    [9_960, '10 s'],
    [59_700, '1 min'],
    [200_000, '3 min 20 s'],
    [3_600_000, '1 h'],
    [187_200_000, '2 d 4 h'],
  ])('of %d ms are %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });

  it('of an age have one unit', () => {
    expect([400, 4_900, 61_000, 5_400_000].map(ageText)).toEqual(['0 s', '4 s', '1 min', '1 h']);
  });

  it('of an instant name their zone, on a day with a change of the clocks too', () => {
    expect(instantText('2026-10-25T00:30:00.999Z', 'utc')).toBe('2026-10-25 00:30:00 UTC');
  });

  it('of shares and sizes are short', () => {
    expect([shareText(0, 0), shareText(0, 4), shareText(1, 300)]).toEqual(['–', '0 %', '0.3 %']);
    expect([0, 999, 4_200_000].map(bytesText)).toEqual(['0 B', '999 B', '4.2 MB']);
  });
});

it.each([
  ['log', { level: 'info', data: 'read' }, { title: 'log info', message: 'read', rest: {} }],
  [
    'log',
    { level: 'error', data: { message: 'no file', path: '/a' } },
    { title: 'log error', message: 'no file', rest: { path: '/a' } },
  ],
  ['log', { level: 'info', data: 7 }, { title: 'log info', message: null, rest: { message: 7 } }],
  ['input_asked', { message: 'Who?' }, { title: 'input asked', message: 'Who?', rest: {} }],
  [
    'finished',
    { outcome: 'result' },
    { title: 'finished', message: null, rest: { outcome: 'result' } },
  ],
])('an event %s with %j says what there is to say', (kind, data, said) => {
  expect(eventText(kind, data)).toEqual(said);
});

describe('the time left', () => {
  const samples = [
    { at: 0, count: 0 },
    { at: 2_000, count: 20 },
    { at: 4_000, count: 80 },
  ].reduce(withSample, []);

  it('lies between the pace of all that was seen and that of late', () => {
    expect(rateOf(samples)).toBe(20);
    expect(timeLeftText(600, samples)).toBe('20 s to 30 s');
  });

  it('is unknown while nothing was seen', () => {
    expect(timeLeftText(600, samples.slice(0, 1))).toBe('an unknown time');
  });

  it('forgets what is long ago, and what goes back', () => {
    const later = withSample(samples, { at: 33_000, count: 90 });
    expect(later.map(({ at }) => at)).toEqual([4_000, 33_000]);
    expect(withSample(later, { at: 34_000, count: 1 })).toBe(later);
  });
});

describe('a number that would arrive as another', () => {
  it.each([
    ['{"id": 1234567890123456789}', '1234567890123456789'],
    ['[1, -0.12345678901234567891]', '-0.12345678901234567891'],
    ['1e400', '1e400'],
  ])('is found in %s', (json, number) => {
    expect(roundingProblem(json)).toContain(`${number} has too many digits`);
  });

  it.each([
    '{"id": "1234567890123456789", "\\"9999999999999999999": -0}',
    '[1234567890123456800, 0.1, 0.30000000000000004, 1.50e3, 1E+21, 5e-324, 0.00, 100]',
    '',
  ])('is none in %s', (json) => {
    expect(roundingProblem(json)).toBeNull();
  });
});
