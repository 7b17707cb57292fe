import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { PHASE } from '../rows/listed-task.ts';
import { IS_TOLD_OF, listeningTo, taskData } from '../rows/webhook-row.ts';

/** Tasks that one call looks at, and those that ended in the same moment as the last of them. */
const MOST = 5_000;

const Row = z.object({ looked_at: z.number() });

/**
 * Makes deliveries of the tasks that ended in (since, until], and moves the mark, which the transaction has locked, behind them.
 * Only tasks that clients have a handle of.
 *
 * Index: tasks_pruned_finished_at_idx, from `since` on.
 *
 * @returns how many tasks ended
 */
export async function noteEndedTasks(runner: SqlRunner, since: Date, until: Date): Promise<number> {
  const ENDED = Prisma.sql`t.pruned = 0 AND t.pruned < 3 AND t.finished_at IS NOT NULL AND t.finished_at > ${since}::timestamptz`;
  const [row] = await runner.run({
    name: 'note-ended-tasks',
    row: Row,
    sql: Prisma.sql`
      WITH step AS MATERIALIZED (
        SELECT coalesce((
          SELECT t.finished_at FROM tasks AS t WHERE ${ENDED} AND t.finished_at <= ${until}::timestamptz
          ORDER BY t.finished_at OFFSET ${MOST - 1}::int LIMIT 1
        ), ${until}::timestamptz) AS until
      ), ended AS MATERIALIZED (
        SELECT t.id, t.principal_id, t.tool_name, t.listed, t.attempt, t.created_at, t.finished_at, ${PHASE} AS phase
        FROM step JOIN tasks AS t ON t.finished_at <= step.until
        WHERE ${ENDED}
      ), told AS MATERIALIZED (
        ${listeningTo('task.completed', 'task.failed', 'task.cancelled')}
      ), noted AS (
        INSERT INTO webhook_deliveries (id, webhook_id, task_id, event, subject, occurred_at, data)
        SELECT gen_random_uuid(), w.id, t.id, 'task.' || t.phase, '', t.finished_at, ${taskData(Prisma.sql`t.phase`)}
        FROM ended AS t JOIN told AS w ON ${IS_TOLD_OF} AND 'task.' || t.phase = ANY (w.events)
        WHERE t.listed AND t.finished_at >= w.enabled_at
        ORDER BY t.finished_at
        ON CONFLICT (webhook_id, task_id, event, subject) DO NOTHING
      ), moved AS (
        UPDATE stat_marks AS m SET at = step.until FROM step WHERE m.name = 'webhooks'
      )
      SELECT count(*)::int AS looked_at FROM ended`,
  });
  return row?.looked_at ?? 0;
}
