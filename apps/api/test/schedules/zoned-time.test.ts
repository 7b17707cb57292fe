import { expect, it } from '@jest/globals';
import { instantOf, timeZoneOf, zonedTime, zonedWords } from '../../src/schedules/zoned-time.ts';

it('knows zones by their names', () => {
  expect(timeZoneOf('europe/berlin')).toBe('Europe/Berlin');
  expect(timeZoneOf('UTC')).toBe('UTC');
  for (const text of ['Mars/Olympus', '+02:00', '', 'CEST please']) {
    expect(() => timeZoneOf(text)).toThrow('is no time zone');
  }
});

it('reads a time in the zone unless it has an offset', () => {
  const read = (text: string, zone = 'Europe/Berlin') => instantOf(text, zone).toISOString();
  expect(read('2027-03-01T09:00')).toBe('2027-03-01T08:00:00.000Z');
  expect(read('2027-07-01T09:00:30')).toBe('2027-07-01T07:00:30.000Z');
  expect(read('2027-03-01T09:00:00Z')).toBe('2027-03-01T09:00:00.000Z');
  expect(read('2027-03-01T09:00-05:00')).toBe('2027-03-01T14:00:00.000Z');
  // Left out in spring: an hour later.
  expect(read('2027-03-28T02:30')).toBe('2027-03-28T01:30:00.000Z');
});

it.each(['tomorrow', '2027-03-01', '2027-13-01T09:00', '2027-02-30T09:00', '1e3', ''])(
  'refuses %j',
  (text) => {
    expect(() => instantOf(text, 'UTC')).toThrow('is no time');
  },
);

it('shows what clocks in the zone show', () => {
  const time = new Date('2027-03-01T08:00:00Z');
  expect(zonedTime(time, 'Europe/Berlin')).toBe('2027-03-01T09:00:00+01:00');
  expect(zonedTime(time, 'America/St_Johns')).toBe('2027-03-01T04:30:00-03:30');
  expect(zonedTime(time, 'UTC')).toBe('2027-03-01T08:00:00+00:00');
  expect(zonedWords(time, 'Europe/Berlin')).toBe('Mon 2027-03-01 09:00 +01:00');
  expect(zonedWords(new Date('2027-02-28T23:00:05Z'), 'Europe/Berlin')).toBe(
    'Mon 2027-03-01 00:00:05 +01:00',
  );
});
