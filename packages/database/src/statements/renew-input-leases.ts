import type { HeldQuestions, QuestionLease } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { IS_PENDING } from '../rows/input-row.ts';
import { IS_ALIVE } from '../rows/open-task.ts';

const Row = z.object({ position: z.number(), held: z.number(), free: z.number() });

/**
 * Renews the leases of questions that streams have, each of one task, and says what else is pending there.
 *
 * Locks the questions in the order of their ids (indexes, once for each lease: tasks_pkey,
 * input_requests_task_id_event_id_open_idx; then input_requests_pkey).
 *
 * @returns by position in `leases`; missing when nothing is pending, or the task is unknown or somebody else's
 */
export async function renewInputLeases(
  runner: SqlRunner,
  leases: readonly QuestionLease[],
  leaseMs: number,
): Promise<ReadonlyMap<number, HeldQuestions>> {
  const rows = await runner.run({
    name: 'renew-input-leases',
    row: Row,
    sql: Prisma.sql`
      WITH pending AS MATERIALIZED (
        SELECT r.id, i.position, i.stream_id,
          r.stream_id IS NOT DISTINCT FROM i.stream_id AS held,
          r.stream_id IS NULL OR r.stream_lease_expires_at <= now() AS free
        FROM unnest(
          ${leases.map(({ taskId }) => taskId)}::uuid[], ${leases.map(({ owner }) => owner)}::uuid[],
          ${leases.map(({ streamId }) => streamId)}::uuid[]
        ) WITH ORDINALITY AS i (task_id, owner, stream_id, position)
        JOIN tasks AS t ON t.id = i.task_id AND t.principal_id = i.owner AND ${IS_ALIVE}
        JOIN input_requests AS r ON ${IS_PENDING}
      ), locked AS MATERIALIZED (
        SELECT r.id, r.stream_id FROM input_requests AS r JOIN pending AS p ON p.id = r.id AND p.held
        WHERE r.stream_id = p.stream_id
        ORDER BY r.id
        FOR NO KEY UPDATE OF r
      ), renewed AS (
        UPDATE input_requests AS r
        SET stream_lease_expires_at = now() + ${leaseMs}::float8 * interval '1 ms'
        FROM locked WHERE r.id = locked.id
        RETURNING r.id
      )
      SELECT p.position::int - 1 AS position, count(n.id)::int AS held,
        count(*) FILTER (WHERE p.free AND NOT p.held)::int AS free
      FROM pending AS p LEFT JOIN renewed AS n ON n.id = p.id AND p.held
      GROUP BY p.position`,
  });
  return new Map(rows.map(({ position, held, free }) => [position, { held, free }]));
}
