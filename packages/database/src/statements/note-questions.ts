import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { IS_TOLD_OF, listeningTo, taskData } from '../rows/webhook-row.ts';

/** Tasks that wait for answers are looked at up to here. */
const MOST = 10_000;

/**
 * Makes deliveries of the tasks that wait for an answer, once for all that is asked at once, within a day.
 * A question that is answered before anybody looks is told to nobody.
 *
 * Indexes: tasks_enqueued_at_sweep_idx, which the window of the relay and the seats bound;
 * input_requests_task_id_event_id_open_idx.
 */
export async function noteQuestions(runner: SqlRunner): Promise<void> {
  await runner.run({
    name: 'note-questions',
    row: z.unknown(),
    sql: Prisma.sql`
      WITH asking AS MATERIALIZED (
        SELECT t.id, t.principal_id, t.tool_name, t.attempt, t.created_at, t.finished_at FROM tasks AS t
        WHERE t.finished_at IS NULL AND t.enqueued_at IS NOT NULL AND t.state = 'input_required' AND t.listed
        LIMIT ${MOST}::int
      ), asked AS MATERIALIZED (
        SELECT t.*, q.asked_at FROM asking AS t CROSS JOIN LATERAL (
          SELECT max(i.created_at) AS asked_at FROM input_requests AS i WHERE i.task_id = t.id AND i.answered_at IS NULL
        ) AS q
        WHERE q.asked_at > now() - interval '1 day'
      ), told AS MATERIALIZED (${listeningTo('task.input_required')})
      INSERT INTO webhook_deliveries (id, webhook_id, task_id, event, subject, occurred_at, data)
      SELECT gen_random_uuid(), w.id, t.id, 'task.input_required', extract(epoch FROM t.asked_at)::text, t.asked_at,
        ${taskData(Prisma.sql`'input_required'`)}
      FROM asked AS t JOIN told AS w ON ${IS_TOLD_OF} AND t.asked_at >= w.enabled_at
      WHERE NOT EXISTS (
        SELECT FROM webhook_deliveries AS d
        WHERE d.webhook_id = w.id AND d.task_id = t.id AND d.event = 'task.input_required'
          AND d.subject = extract(epoch FROM t.asked_at)::text)
      ORDER BY t.asked_at
      ON CONFLICT (webhook_id, task_id, event, subject) DO NOTHING`,
  });
}
