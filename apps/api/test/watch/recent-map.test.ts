import { expect, it } from '@jest/globals';
import { RecentMap } from '../../src/watch/recent-map.ts';

it('keeps what was set or asked for last', () => {
  const dropped: string[] = [];
  const map = new RecentMap<number, string>(2, (value) => dropped.push(value));
  map.set(1, 'one');
  map.set(2, 'two');
  expect(map.get(1)).toBe('one');
  map.set(3, 'three');
  expect([map.has(1), map.has(2), map.has(3)]).toEqual([true, false, true]);
  expect(dropped).toEqual(['two']);
});

it('says of every value that goes that it goes, once', () => {
  const dropped: string[] = [];
  const map = new RecentMap<number, string>(2, (value) => dropped.push(value));
  map.set(1, 'old');
  map.set(1, 'new');
  expect(dropped).toEqual(['old']);
  expect([map.delete(1), map.delete(1)]).toEqual([true, false]);
  map.set(2, 'two');
  map.clear();
  map.clear();
  expect(dropped).toEqual(['old', 'new', 'two']);
  expect(map.get(2)).toBeUndefined();
});
