import { describe, expect, it } from '@jest/globals';
import { HISTOGRAM_EDGES_MS, mergeHistograms, percentileOf } from '../src/histogram.ts';

/** A histogram with these counts, by the edge of their bucket; Infinity: behind the last. */
const histogram = (counts: Readonly<Record<string, number>>): number[] =>
  [...HISTOGRAM_EDGES_MS, Number.POSITIVE_INFINITY].map((edge) => counts[String(edge)] ?? 0);

describe('a percentile', () => {
  it('of nothing is none', () => {
    expect(percentileOf(histogram({}), 0.5)).toBeNull();
  });

  it('lies in the bucket that reaches its share, evenly spread in it', () => {
    const counted = histogram({ 100: 90, 1000: 10 });
    expect(percentileOf(counted, 0.45)).toBe(75);
    expect(percentileOf(counted, 0.9)).toBe(100);
    expect(percentileOf(counted, 0.95)).toBe(750);
    expect(percentileOf(counted, 1)).toBe(1_000);
  });

  it('beyond the last edge is that edge', () => {
    expect(percentileOf(histogram({ Infinity: 3 }), 0.5)).toBe(21_600_000);
  });

  it('of the whole is that of the merged parts', () => {
    const parts = [histogram({ 10: 1, 25: 3 }), histogram({ 25: 1, Infinity: 2 })];
    expect(mergeHistograms(parts)).toEqual(histogram({ 10: 1, 25: 4, Infinity: 2 }));
  });
});
