import { Prisma } from '../generated/client.ts';

/**
 * Edges of histograms of durations, in ms; the same for ever, so that buckets add up. A value is in the first bucket below whose
 * edge it is; one more is for what is over all. Stored in stat_minutes and stat_hours.
 */
export const EDGES_MS: readonly number[] = [
  10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 900_000,
  3_600_000, 7_200_000, 21_600_000,
];

export const BUCKETS = EDGES_MS.length + 1;

/** The bucket of a duration, from 0; null for none. */
export const bucketOf = (from: Prisma.Sql, to: Prisma.Sql): Prisma.Sql => Prisma.sql`
  width_bucket((extract(epoch FROM ${to} - ${from}) * 1000)::float8, ${[...EDGES_MS]}::float8[])`;

/** Aggregates a column of buckets to a histogram. */
export const histogramOf = (bucket: Prisma.Sql): Prisma.Sql => Prisma.sql`
  ARRAY[${Prisma.join(
    Array.from(
      { length: BUCKETS },
      (_, position) => Prisma.sql`count(*) FILTER (WHERE ${bucket} = ${position}::int)`,
    ),
  )}]::int[]`;

/** The sum of two histograms. */
export const addHistograms = (one: Prisma.Sql, other: Prisma.Sql): Prisma.Sql => Prisma.sql`
  ARRAY(SELECT h.a + h.b FROM unnest(${one}, ${other}) WITH ORDINALITY AS h (a, b, place) ORDER BY h.place)`;

/** Aggregates a column of histograms to their sum. */
export const sumHistograms = (column: Prisma.Sql): Prisma.Sql => Prisma.sql`
  ARRAY[${Prisma.join(
    Array.from(
      { length: BUCKETS },
      (_, position) => Prisma.sql`sum(${column}[${position + 1}::int])`,
    ),
  )}]::int[]`;
