import { CHUNK_METHOD } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { addHistograms, bucketOf, histogramOf } from '../rows/histogram.ts';
import { SETTLED_UNTIL } from '../rows/settled-until.ts';

/** Tasks that one call counts, and those that ended in the same moment as the last of them. */
const MOST = 20_000;

const Row = z.object({ folded: z.number() });
const Settled = z.object({ at: z.date() });

/** Until when nothing ends any more. */
export async function readSettledUntil(runner: SqlRunner): Promise<Date> {
  const [row] = await runner.run({ name: 'read-settled-until', row: Settled, sql: SETTLED_UNTIL });
  if (row === undefined) throw new Error('read-settled-until returned no row');
  return row.at;
}

/**
 * Counts tasks that ended since the mark, by minute and by hour, and moves the mark behind them: all or nothing, so a task
 * counts once. The mark's row is the lock; who finds it locked leaves it to the other.
 *
 * A task whose history was pruned before it was counted is missed, and one that was
 * deleted; both take a process that was away for longer than either is kept.
 *
 * Index: tasks_pruned_finished_at_idx, from the mark on.
 *
 * @param until as `readSettledUntil` said before
 * @returns how many; null when another process is at it
 */
export async function foldEnded(runner: SqlRunner, until: Date): Promise<number | null> {
  const [row] = await runner.run({
    name: 'fold-ended',
    row: Row,
    sql: Prisma.sql`
      WITH mark AS MATERIALIZED (
        SELECT at FROM stat_marks WHERE name = 'ended' FOR NO KEY UPDATE SKIP LOCKED
      ), step AS MATERIALIZED (
        SELECT mark.at AS since, coalesce((
          SELECT t.finished_at FROM tasks AS t
          WHERE t.pruned = 0 AND t.pruned < 3 AND t.finished_at IS NOT NULL
            AND t.finished_at > mark.at AND t.finished_at <= ${until}::timestamptz
          ORDER BY t.finished_at OFFSET ${MOST}::int LIMIT 1
        ), greatest(${until}::timestamptz, mark.at)) AS until
        FROM mark
      ), ended AS MATERIALIZED (
        SELECT date_trunc('minute', t.finished_at) AS bucket, t.queue, t.tool_name, coalesce(t.tool_version, '') AS version,
          CASE WHEN t.state = 'cancelled' THEN 'cancelled' WHEN t.outcome_kind = 'result' THEN 'completed' ELSE 'failed' END AS outcome,
          ${bucketOf(Prisma.sql`t.created_at`, Prisma.sql`t.started_at`)} AS waited,
          ${bucketOf(Prisma.sql`t.started_at`, Prisma.sql`t.finished_at`)} AS ran
        FROM step JOIN tasks AS t ON t.finished_at > step.since AND t.finished_at <= step.until
        WHERE t.pruned = 0 AND t.pruned < 3 AND t.finished_at IS NOT NULL AND t.request_method <> ${CHUNK_METHOD}
      ), counted AS MATERIALIZED (
        SELECT bucket, queue, tool_name, version, outcome, count(*)::int AS n,
          ${histogramOf(Prisma.sql`waited`)} AS wait_hist, ${histogramOf(Prisma.sql`ran`)} AS run_hist
        FROM ended GROUP BY 1, 2, 3, 4, 5
      ), minutes AS (
        INSERT INTO stat_minutes AS s (bucket, queue, tool, version, outcome, n, wait_hist, run_hist)
        SELECT * FROM counted
        ON CONFLICT (bucket, queue, tool, version, outcome) DO UPDATE SET n = s.n + excluded.n,
          wait_hist = ${addHistograms(Prisma.sql`s.wait_hist`, Prisma.sql`excluded.wait_hist`)},
          run_hist = ${addHistograms(Prisma.sql`s.run_hist`, Prisma.sql`excluded.run_hist`)}
      ), hours AS (
        INSERT INTO stat_hours AS s (bucket, queue, tool, version, outcome, n, wait_hist, run_hist)
        SELECT date_trunc('hour', e.bucket), e.queue, e.tool_name, e.version, e.outcome, count(*)::int,
          ${histogramOf(Prisma.sql`e.waited`)}, ${histogramOf(Prisma.sql`e.ran`)}
        FROM ended AS e GROUP BY 1, 2, 3, 4, 5
        ON CONFLICT (bucket, queue, tool, version, outcome) DO UPDATE SET n = s.n + excluded.n,
          wait_hist = ${addHistograms(Prisma.sql`s.wait_hist`, Prisma.sql`excluded.wait_hist`)},
          run_hist = ${addHistograms(Prisma.sql`s.run_hist`, Prisma.sql`excluded.run_hist`)}
      ), moved AS (
        UPDATE stat_marks AS m SET at = step.until FROM step WHERE m.name = 'ended' AND step.until > m.at
      )
      SELECT coalesce((SELECT sum(n) FROM counted), 0)::int AS folded FROM mark`,
  });
  return row?.folded ?? null;
}
