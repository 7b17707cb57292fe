import { CHUNK_METHOD } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { IS_TOLD_OF, listeningTo, taskData } from '../rows/webhook-row.ts';

/** Batches that run are looked at up to here. */
const MOST = 1_000;

/** Fewer failed items are no sign: where so few are all there is, the batch is about to end. */
const FEWEST_FAILED = 10;

/**
 * Makes a delivery, once, of each running batch of whose settled items too large a share has failed.
 *
 * Indexes: tasks_enqueued_at_sweep_idx, which the window of the relay and the seats bound, and batches_task_id_idx for each
 * of its tasks; batch_chunks_batch_id_position_failed_idx, and of the batches in which anything failed all chunks.
 */
export async function noteFailingBatches(runner: SqlRunner): Promise<void> {
  await runner.run({
    name: 'note-failing-batches',
    row: z.unknown(),
    sql: Prisma.sql`
      WITH told AS MATERIALIZED (${listeningTo('batch.failing')}), looked AS (
        UPDATE stat_marks SET at = now() WHERE name = 'webhook_batches'
      ), running AS MATERIALIZED (
        SELECT t.id, t.principal_id, t.tool_name, t.attempt, t.created_at, t.finished_at, b.id AS batch_id, b.key, b.items
        FROM tasks AS t CROSS JOIN LATERAL (SELECT b.* FROM batches AS b WHERE b.task_id = t.id OFFSET 0) AS b
        WHERE t.finished_at IS NULL AND t.enqueued_at IS NOT NULL AND t.listed AND t.request_method <> ${CHUNK_METHOD}
        LIMIT ${MOST}::int
      ), counted AS MATERIALIZED (
        SELECT t.*, w.id AS webhook_id, w.failing_share, c.done, c.failed
        FROM running AS t JOIN told AS w ON ${IS_TOLD_OF} AND NOT EXISTS (
          SELECT FROM webhook_deliveries AS d
          WHERE d.webhook_id = w.id AND d.task_id = t.id AND d.event = 'batch.failing' AND d.subject = t.batch_id::text)
        CROSS JOIN LATERAL (
          SELECT sum(c.done)::int AS done, sum(c.failed)::int AS failed FROM batch_chunks AS c
          WHERE c.batch_id = t.batch_id
            AND EXISTS (SELECT FROM batch_chunks AS f WHERE f.batch_id = t.batch_id AND f.failed > 0)
        ) AS c
      )
      INSERT INTO webhook_deliveries (id, webhook_id, task_id, event, subject, occurred_at, data)
      SELECT gen_random_uuid(), t.webhook_id, t.id, 'batch.failing', t.batch_id::text, now(),
        ${taskData(
          Prisma.sql`'running'`,
          Prisma.sql`, 'batch', json_build_object('key', t.key, 'items', t.items, 'done', t.done, 'failed', t.failed)`,
        )}
      FROM counted AS t
      WHERE t.failed >= ${FEWEST_FAILED}::int AND t.failed >= t.failing_share * (t.done + t.failed)
      ON CONFLICT (webhook_id, task_id, event, subject) DO NOTHING`,
  });
}
