import type { EndedStats, Stats, StatsWindow } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { sumHistograms } from '../rows/histogram.ts';

const HOUR_MS = 3_600_000;
/** Tools that are named: those with the most calls. */
const MOST_TOOLS = 50;
/** Versions of a tool, likewise. */
const MOST_VERSIONS = 20;

const Ended = z.object({
  outcome: z.enum(['completed', 'failed', 'cancelled']),
  n: z.number(),
  wait_hist: z.array(z.number()),
  run_hist: z.array(z.number()),
});
const BucketRow = Ended.extend({ at: z.date() });
const ToolRow = Ended.extend({ tool: z.string() });
const VersionRow = Ended.extend({ version: z.string() });
const Mark = z.object({ at: z.date() });
const GaugeRow = z.object({
  at: z.date(),
  waiting: z.number(),
  running: z.number(),
  input_required: z.number(),
  oldest_wait_ms: z.number(),
  workers: z.number(),
  seats: z.number(),
});

/**
 * Reads what ended within a window, by bucket of time and by tool, of one tool by its versions, and the looks at the queues. Never looks at a task.
 * Indexes: stat_minutes_pkey or stat_hours_pkey, and queue_gauges_pkey, the range of the window.
 */
export async function readStats(runner: SqlRunner, window: StatsWindow): Promise<Stats> {
  const { from, to, stepMs, tool, queue } = window;
  const table = stepMs >= HOUR_MS ? Prisma.sql`stat_hours` : Prisma.sql`stat_minutes`;
  const step = Prisma.sql`${stepMs}::float8 * interval '1 ms'`;
  const bin = Prisma.sql`date_bin(${step}, s.bucket, 'epoch')`;
  const sums = Prisma.sql`sum(s.n)::int AS n, ${sumHistograms(Prisma.sql`s.wait_hist`)} AS wait_hist,
    ${sumHistograms(Prisma.sql`s.run_hist`)} AS run_hist`;
  const ended = Prisma.sql`
    FROM ${table} AS s WHERE s.bucket >= ${from}::timestamptz AND s.bucket < ${to}::timestamptz
      AND (${tool}::text IS NULL OR s.tool = ${tool}::text)
      AND (${queue}::text IS NULL OR s.queue = ${queue}::text)`;
  const [marks, buckets, tools, versions, gauges] = await Promise.all([
    runner.run({
      name: 'read-fold-mark',
      row: Mark,
      sql: Prisma.sql`SELECT at FROM stat_marks WHERE name = 'ended'`,
    }),
    runner.run({
      name: 'read-stats',
      row: BucketRow,
      sql: Prisma.sql`SELECT ${bin} AS at, s.outcome, ${sums} ${ended} GROUP BY 1, 2 ORDER BY 1`,
    }),
    runner.run({
      name: 'read-tool-stats',
      row: ToolRow,
      sql: Prisma.sql`
        WITH busiest AS MATERIALIZED (
          SELECT s.tool FROM (SELECT s.tool, sum(s.n) AS calls ${ended} GROUP BY 1) AS s
          ORDER BY s.calls DESC, s.tool LIMIT ${MOST_TOOLS}::int
        )
        SELECT s.tool, s.outcome, ${sums} ${ended} AND s.tool IN (SELECT tool FROM busiest)
        GROUP BY 1, 2`,
    }),
    tool === null
      ? []
      : runner.run({
          name: 'read-version-stats',
          row: VersionRow,
          sql: Prisma.sql`SELECT s.version, s.outcome, ${sums} ${ended} GROUP BY 1, 2 ORDER BY 1`,
        }),
    runner.run({
      name: 'read-gauges',
      row: GaugeRow,
      sql: Prisma.sql`
        SELECT date_bin(${step}, m.bucket, 'epoch') AS at, max(m.waiting)::int AS waiting, max(m.running)::int AS running,
          max(m.input_required)::int AS input_required, max(m.oldest_wait_ms)::float8 AS oldest_wait_ms,
          max(m.workers)::int AS workers, max(m.seats)::int AS seats
        FROM (
          SELECT s.bucket, sum(s.waiting + s.ready + s.retrying) AS waiting, sum(s.running) AS running,
            sum(s.input_required) AS input_required, max(s.oldest_wait_ms) AS oldest_wait_ms,
            max(s.workers) AS workers, max(s.seats) AS seats
          FROM queue_gauges AS s
          WHERE s.bucket >= ${from}::timestamptz AND s.bucket < ${to}::timestamptz
            AND (${queue}::text IS NULL OR s.queue = ${queue}::text)
          GROUP BY s.bucket
        ) AS m
        GROUP BY 1 ORDER BY 1`,
    }),
  ]);
  return {
    foldedUntil: marks[0]?.at ?? from,
    buckets: [...merged(buckets, ({ at }) => at.getTime())].map(([at, stats]) => ({
      at: new Date(at),
      ...stats,
    })),
    tools: [...merged(tools, (row) => row.tool)]
      .map(([name, stats]) => ({ tool: name, ...stats }))
      .sort((one, other) => calls(other) - calls(one)),
    versions: [...merged(versions, (row) => row.version)]
      .map(([version, stats]) => ({ version, ...stats }))
      .sort((one, other) => calls(other) - calls(one))
      .slice(0, MOST_VERSIONS),
    gauges: gauges.map(
      ({ input_required: inputRequired, oldest_wait_ms: oldestWaitMs, ...row }) => ({
        ...row,
        inputRequired,
        oldestWaitMs,
      }),
    ),
  };
}

const calls = ({ completed, failed, cancelled }: EndedStats): number =>
  completed + failed + cancelled;

/** The rows of the three outcomes of one thing, as one. */
function merged<Row extends z.infer<typeof Ended>, Key>(
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
): Map<Key, EndedStats> {
  const found = new Map<Key, EndedStats>();
  for (const row of rows) {
    const known = found.get(keyOf(row)) ?? {
      completed: 0,
      failed: 0,
      cancelled: 0,
      waits: row.wait_hist.map(() => 0),
      runs: row.run_hist.map(() => 0),
    };
    found.set(keyOf(row), {
      ...known,
      waits: known.waits.map((n, place) => n + (row.wait_hist[place] ?? 0)),
      runs: known.runs.map((n, place) => n + (row.run_hist[place] ?? 0)),
      [row.outcome]: row.n,
    });
  }
  return found;
}
