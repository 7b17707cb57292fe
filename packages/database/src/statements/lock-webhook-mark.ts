import type { WebhookEvent } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { SETTLED_UNTIL } from '../rows/settled-until.ts';
import { webhookEventColumn } from '../rows/webhook-row.ts';

/** Between two looks at batches, which are more to read. */
const BATCHES_EVERY = Prisma.sql`interval '10 s'`;

const Row = z.object({
  since: z.date(),
  until: z.date(),
  events: z.array(webhookEventColumn),
  batches_due: z.boolean(),
});

export interface WebhookMark {
  /** What ended after it has not been looked at. */
  readonly since: Date;
  /** All that ended until then is to be seen by the next statement of the transaction. */
  readonly until: Date;
  /** What anybody wants to be told of. */
  readonly events: ReadonlySet<WebhookEvent>;
  readonly batchesAreDue: boolean;
}

/**
 * Locks the mark until the transaction ends, and says what is to be looked at.
 *
 * This is a statement of its own, so that what has committed by `until` is in what the next one sees (SETTLED_UNTIL).
 *
 * @returns null when another process is at it, or nobody wants to be told of anything
 */
export async function lockWebhookMark(runner: SqlRunner): Promise<WebhookMark | null> {
  const [row] = await runner.run({
    name: 'lock-webhook-mark',
    row: Row,
    sql: Prisma.sql`
      WITH mark AS MATERIALIZED (
        SELECT at FROM stat_marks WHERE name = 'webhooks' FOR NO KEY UPDATE SKIP LOCKED
      ), horizon AS MATERIALIZED (
        ${SETTLED_UNTIL}
      ), told AS MATERIALIZED (
        SELECT min(w.enabled_at) AS since, array_agg(DISTINCT e.event) AS events
        FROM webhooks AS w CROSS JOIN LATERAL unnest(w.events) AS e (event)
        WHERE w.enabled_at IS NOT NULL
      )
      SELECT greatest(mark.at, told.since) AS since, horizon.at AS until, told.events,
        EXISTS (SELECT FROM stat_marks AS b WHERE b.name = 'webhook_batches' AND b.at <= now() - ${BATCHES_EVERY}) AS batches_due
      FROM mark, horizon, told WHERE told.since IS NOT NULL`,
  });
  if (row === undefined) return null;
  const { since, until, events, batches_due: batchesAreDue } = row;
  return { since, until, events: new Set(events), batchesAreDue };
}
