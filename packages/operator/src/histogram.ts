/** Edges of the histograms, in ms: a value is in the first bucket below whose edge it is; the last one has none. */
export const HISTOGRAM_EDGES_MS = [
  10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 900_000,
  3_600_000, 7_200_000, 21_600_000,
] as const;

/** Histograms of the same edges merge by addition; percentiles do not. */
export function mergeHistograms(histograms: readonly (readonly number[])[]): number[] {
  return Array.from({ length: HISTOGRAM_EDGES_MS.length + 1 }, (_, bucket) =>
    histograms.reduce((sum, histogram) => sum + (histogram[bucket] ?? 0), 0),
  );
}

/**
 * About the value that `share` of what was counted is below, in ms: within its bucket values are taken for evenly
 * spread. What lies beyond the last edge is that edge.
 *
 * @param share from 0 to 1, such as 0.95
 * @returns null: nothing was counted
 */
export function percentileOf(histogram: readonly number[], share: number): number | null {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = share * total;
  let below = 0;
  for (const [bucket, count] of histogram.entries()) {
    if (count > 0 && below + count >= wanted) {
      const from = HISTOGRAM_EDGES_MS[bucket - 1] ?? 0;
      const to = HISTOGRAM_EDGES_MS[bucket] ?? from;
      return from + ((to - from) * Math.max(0, wanted - below)) / count;
    }
    below += count;
  }
  return HISTOGRAM_EDGES_MS.at(-1) ?? null;
}
