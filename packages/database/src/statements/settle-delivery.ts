import type { DeliveryAnswer, DeliveryEnd, DueDelivery } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { storableText } from '../rows/storable-text.ts';

/**
 * Writes what an attempt came to, unless a later one has begun, and what it says of its webhook. Locks both rows. Indexes:
 * webhook_deliveries_pkey, webhooks_pkey.
 */
export async function settleDelivery(
  runner: SqlRunner,
  { id, attempt }: DueDelivery,
  { status, text, error, latencyMs }: DeliveryAnswer,
  end: DeliveryEnd,
): Promise<void> {
  const state = end.kind === 'gone' ? 'dead' : end.kind;
  const retryInMs = end.kind === 'failed' ? end.retryInMs : null;
  const isDelivered = end.kind === 'delivered';
  await runner.run({
    name: 'settle-delivery',
    row: z.unknown(),
    sql: Prisma.sql`
      WITH settled AS (
        UPDATE webhook_deliveries
        SET state = ${state}, next_attempt_at = now() + ${retryInMs}::float8 * interval '1 ms', response_status = ${status}::int,
          response_text = ${text === null ? null : storableText(text)}, error = ${error}, latency_ms = ${latencyMs}::int
        WHERE id = ${id}::uuid AND attempt = ${attempt}::int AND next_attempt_at IS NOT NULL
        RETURNING webhook_id
      )
      UPDATE webhooks AS w
      SET failures = CASE WHEN ${isDelivered} THEN 0 ELSE w.failures + 1 END,
        enabled_at = CASE WHEN ${end.kind === 'gone'} THEN NULL ELSE w.enabled_at END,
        disabled_reason = CASE WHEN ${end.kind === 'gone'} THEN 'gone' ELSE w.disabled_reason END
      FROM settled WHERE w.id = settled.webhook_id AND (w.failures > 0 OR NOT ${isDelivered})`,
  });
}
