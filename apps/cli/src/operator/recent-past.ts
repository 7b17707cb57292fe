import type { AnswerOf } from '@longshore/operator';
import { mergeHistograms, percentileOf } from '@longshore/operator/histogram';
import { describeSeconds } from '../client/progress-line.ts';

const MINUTES = 5;
const MINUTE_MS = 60_000;

/** What has ended within the last minutes. */
export interface RecentPast {
  /** From the beginning of a minute until what is counted by now. */
  readonly spanMs: number;
  readonly ended: number;
  readonly perMinute: number;
  /** Of those that were not cancelled, from 0 to 1; null: there are none. */
  readonly failedShare: number | null;
  /** From accepted to started, in ms; null: nothing has ended. */
  readonly waitMs: Percentiles | null;
  /** From started to ended. */
  readonly runMs: Percentiles | null;
}

interface Percentiles {
  readonly p50: number;
  readonly p95: number;
}

/** @param stats in steps of a minute, as the range `1h` has them */
export function recentPast({ ended, foldedUntil }: AnswerOf<'GET /stats'>): RecentPast {
  const until = new Date(foldedUntil).getTime();
  const from = Math.floor(until / MINUTE_MS) * MINUTE_MS - (MINUTES - 1) * MINUTE_MS;
  const buckets = ended.filter(({ at }) => new Date(at).getTime() >= from);
  const sum = (of: (bucket: (typeof buckets)[number]) => number): number =>
    buckets.reduce((total, bucket) => total + of(bucket), 0);
  const failed = sum((bucket) => bucket.failed);
  const judged = failed + sum(({ completed }) => completed);
  const all = judged + sum(({ cancelled }) => cancelled);
  const spanMs = until - from;
  return {
    spanMs,
    ended: all,
    perMinute: all / (spanMs / MINUTE_MS),
    failedShare: judged === 0 ? null : failed / judged,
    waitMs: percentiles(buckets.map(({ waitHistogram }) => waitHistogram)),
    runMs: percentiles(buckets.map(({ runHistogram }) => runHistogram)),
  };
}

function percentiles(histograms: readonly (readonly number[])[]): Percentiles | null {
  const all = mergeHistograms(histograms);
  const [p50, p95] = [percentileOf(all, 0.5), percentileOf(all, 0.95)];
  return p50 === null || p95 === null ? null : { p50, p95 };
}

/** `340 ms`, `40 s`, `12 min`, `3 h 20 min`. */
export const durationOf = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : describeSeconds(ms / 1_000);
