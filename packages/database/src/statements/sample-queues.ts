import { CHUNK_METHOD } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

/** Tasks of a queue that wait for their turn are counted up to here. */
const MOST_WAITING = 10_000;

const Row = z.object({ queue: z.string() });

/**
 * Looks at what stands where in all queues, unless another process has within `intervalMs`: the look becomes the latest one,
 * and the minute keeps the worst of each figure. One process at a time: the mark's row is the lock.
 *
 * Indexes: tasks_enqueued_at_sweep_idx, all of it, which the window of the relay and the seats bound;
 * tasks_backlog_idx, 10,000 entries of each queue at most, in which it leaps from queue to queue. Chunks count as what they are for
 * the workers: tasks that wait and run.
 *
 * @returns whether it has looked
 */
export async function sampleQueues(runner: SqlRunner, intervalMs: number): Promise<boolean> {
  const rows = await runner.run({
    name: 'sample-queues',
    row: Row,
    sql: Prisma.sql`
      WITH RECURSIVE mark AS MATERIALIZED (
        SELECT at FROM stat_marks
        WHERE name = 'gauges' AND at <= now() - ${intervalMs}::float8 * interval '1 ms'
        FOR NO KEY UPDATE SKIP LOCKED
      ), moved AS (
        UPDATE stat_marks SET at = now() WHERE name = 'gauges' AND EXISTS (SELECT FROM mark)
      ), backlogged (queue) AS (
        (SELECT t.queue FROM mark CROSS JOIN LATERAL (
           SELECT t.queue FROM tasks AS t WHERE t.finished_at IS NULL AND t.enqueued_at IS NULL
           ORDER BY t.queue LIMIT 1) AS t)
        UNION ALL
        SELECT (SELECT t.queue FROM tasks AS t
                WHERE t.finished_at IS NULL AND t.enqueued_at IS NULL AND t.queue > b.queue
                ORDER BY t.queue LIMIT 1)
        FROM backlogged AS b WHERE b.queue IS NOT NULL
      ), waits AS MATERIALIZED (
        SELECT b.queue, w.n, w.since
        FROM backlogged AS b CROSS JOIN LATERAL (
          SELECT count(*)::int AS n, min(t.created_at) AS since FROM (
            SELECT t.created_at FROM tasks AS t
            WHERE t.queue = b.queue AND t.finished_at IS NULL AND t.enqueued_at IS NULL
            LIMIT ${MOST_WAITING}::int
          ) AS t
        ) AS w
        WHERE b.queue IS NOT NULL
      ), admitted AS MATERIALIZED (
        SELECT t.queue, t.tool_name, t.request_method, t.created_at, t.started_at,
          CASE
            WHEN t.state = 'input_required' THEN 'asking'
            WHEN t.claimed_by IS NOT NULL AND t.lease_expires_at > now() THEN 'running'
            WHEN t.run_after > now() THEN 'retrying'
            ELSE 'ready'
          END AS phase
        FROM mark CROSS JOIN LATERAL (
          SELECT * FROM tasks AS t WHERE t.finished_at IS NULL AND t.enqueued_at IS NOT NULL OFFSET 0
        ) AS t
      ), stands AS MATERIALIZED (
        SELECT queue,
          count(*) FILTER (WHERE phase = 'ready')::int AS ready,
          count(*) FILTER (WHERE phase = 'retrying')::int AS retrying,
          count(*) FILTER (WHERE phase = 'running')::int AS running,
          count(*) FILTER (WHERE phase = 'asking')::int AS asking,
          min(created_at) FILTER (WHERE phase = 'ready' AND started_at IS NULL) AS since
        FROM admitted GROUP BY queue
      ), tools AS MATERIALIZED (
        SELECT g.queue, jsonb_object_agg(g.tool_name, jsonb_build_object('ready', g.n, 'oldestMs', g.ms)) AS tools
        FROM (
          SELECT queue, tool_name, count(*)::int AS n,
            (extract(epoch FROM now() - min(created_at)) * 1000)::float8 AS ms
          FROM admitted WHERE phase = 'ready' AND request_method <> ${CHUNK_METHOD} GROUP BY 1, 2
        ) AS g
        GROUP BY g.queue
      ), served AS MATERIALIZED (
        SELECT q.queue, count(*)::int AS workers, sum(w.concurrency)::int AS seats
        FROM mark CROSS JOIN workers AS w CROSS JOIN LATERAL unnest(w.queues) AS q (queue)
        WHERE w.heartbeat_at > now() - w.lease_ms * interval '1 ms' AND w.drain_at IS NULL
        GROUP BY q.queue
      ), look AS MATERIALIZED (
        SELECT q.queue, coalesce(w.n, 0) AS waiting, coalesce(s.ready, 0) AS ready,
          coalesce(s.retrying, 0) AS retrying, coalesce(s.running, 0) AS running,
          coalesce(s.asking, 0) AS input_required,
          coalesce(extract(epoch FROM now() - least(w.since, s.since)) * 1000, 0)::float8 AS oldest_wait_ms,
          coalesce(v.workers, 0) AS workers, coalesce(v.seats, 0) AS seats,
          coalesce(g.tools, '{}'::jsonb) AS tools
        FROM (SELECT queue FROM waits UNION SELECT queue FROM stands UNION SELECT queue FROM served) AS q
        LEFT JOIN waits AS w ON w.queue = q.queue LEFT JOIN stands AS s ON s.queue = q.queue
        LEFT JOIN tools AS g ON g.queue = q.queue LEFT JOIN served AS v ON v.queue = q.queue
      ), gone AS (
        DELETE FROM queue_gauges AS l USING mark
        WHERE l.bucket = 'epoch' AND NOT EXISTS (SELECT FROM look WHERE look.queue = l.queue)
      ), latest AS (
        INSERT INTO queue_gauges (bucket, queue, waiting, ready, retrying, running, input_required, oldest_wait_ms, workers, seats, tools)
        SELECT 'epoch'::timestamptz, look.* FROM look
        ON CONFLICT (bucket, queue) DO UPDATE SET waiting = excluded.waiting, ready = excluded.ready,
          retrying = excluded.retrying, running = excluded.running, input_required = excluded.input_required,
          oldest_wait_ms = excluded.oldest_wait_ms, workers = excluded.workers, seats = excluded.seats, tools = excluded.tools
      ), minute AS (
        INSERT INTO queue_gauges AS g (bucket, queue, waiting, ready, retrying, running, input_required, oldest_wait_ms, workers, seats, tools)
        SELECT date_trunc('minute', now()), look.queue, look.waiting, look.ready, look.retrying, look.running,
          look.input_required, look.oldest_wait_ms, look.workers, look.seats, '{}'::jsonb FROM look
        ON CONFLICT (bucket, queue) DO UPDATE SET waiting = greatest(g.waiting, excluded.waiting),
          ready = greatest(g.ready, excluded.ready), retrying = greatest(g.retrying, excluded.retrying),
          running = greatest(g.running, excluded.running), input_required = greatest(g.input_required, excluded.input_required),
          oldest_wait_ms = greatest(g.oldest_wait_ms, excluded.oldest_wait_ms),
          workers = greatest(g.workers, excluded.workers), seats = greatest(g.seats, excluded.seats)
      )
      SELECT 'mark' AS queue FROM mark`,
  });
  return rows.length > 0;
}
