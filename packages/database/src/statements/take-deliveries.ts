import type { DueDelivery, UnderWay } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { DUE_DELIVERY_COLUMNS, DueDeliveryRow, leaseOf } from '../rows/due-delivery-row.ts';

/** Attempts of one process at once for one webhook: so many, and one where the last attempt failed. */
const AT_ONCE = 4;

/**
 * Takes deliveries that are due, of each enabled webhook as many as it may have at once beside those under way here. What
 * comes after an open delivery of the same task waits for it. Locks their rows, and skips those that others are taking; by chance
 * of which webhook first, so that with few places free none is always the last.
 *
 * Indexes: webhook_deliveries_due_idx, as many entries of each webhook as it may have at once, and those that wait for others;
 * webhook_deliveries_open_idx.
 */
export async function takeDeliveries(
  runner: SqlRunner,
  most: number,
  underWay: UnderWay,
  leaseMs: number,
): Promise<DueDelivery[]> {
  return runner.run({
    name: 'take-deliveries',
    row: DueDeliveryRow,
    sql: Prisma.sql`
      WITH told AS MATERIALIZED (
        SELECT w.id, greatest(CASE WHEN w.failures > 0 THEN 1 ELSE ${AT_ONCE}::int END - coalesce(b.n, 0), 0) AS free
        FROM webhooks AS w
        LEFT JOIN unnest(${[...underWay.keys()]}::uuid[], ${[...underWay.values()]}::int[]) AS b (id, n) ON b.id = w.id
        WHERE w.enabled_at IS NOT NULL ORDER BY random()
      ), due AS MATERIALIZED (
        SELECT due.id FROM told AS w CROSS JOIN LATERAL (
          SELECT d.id FROM webhook_deliveries AS d
          WHERE d.webhook_id = w.id AND d.next_attempt_at IS NOT NULL AND d.next_attempt_at <= now() AND NOT EXISTS (
            SELECT FROM webhook_deliveries AS e
            WHERE e.webhook_id = d.webhook_id AND e.task_id = d.task_id AND e.seq < d.seq AND e.next_attempt_at IS NOT NULL)
          ORDER BY d.next_attempt_at LIMIT w.free
          FOR NO KEY UPDATE OF d SKIP LOCKED
        ) AS due
        LIMIT ${most}::int
      )
      UPDATE webhook_deliveries AS d SET attempt = d.attempt + 1, next_attempt_at = ${leaseOf(leaseMs)}
      FROM due, webhooks AS w
      WHERE d.id = due.id AND w.id = d.webhook_id
      RETURNING ${DUE_DELIVERY_COLUMNS}`,
  });
}
