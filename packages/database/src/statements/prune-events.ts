import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { taskIdColumn } from '../rows/columns.ts';
import { pickUnpruned, setPruned } from '../rows/pruned-parts.ts';

const Row = z.object({ id: taskIdColumn });

/**
 * Deletes the history of tasks that ended `ageMs` milliseconds ago, but for their creation and their end, with
 * their questions and checkpoints.
 *
 * An ended task gets no events any more, so the statement's snapshot has them all. Locks the tasks and what it
 * deletes. Indexes: those of pickUnpruned; task_events_pkey, input_requests_task_id_key_key and
 * task_checkpoints_pkey, a range each per task.
 *
 * @returns how many tasks
 */
export async function pruneEvents(
  runner: SqlRunner,
  ageMs: number,
  limit: number,
): Promise<number> {
  const rows = await runner.run({
    name: 'prune-events',
    row: Row,
    sql: Prisma.sql`
      WITH picked AS MATERIALIZED (${pickUnpruned('events', ageMs, limit)}), event AS (
        DELETE FROM task_events AS e USING picked AS p
        WHERE e.task_id = p.id AND e.kind NOT IN ('created', 'finished', 'cancelled')
      ), question AS (
        DELETE FROM input_requests AS q USING picked AS p WHERE q.task_id = p.id
      ), checkpoint AS (
        DELETE FROM task_checkpoints AS c USING picked AS p WHERE c.task_id = p.id
      )
      UPDATE tasks AS t SET ${setPruned('events')} FROM picked AS p WHERE t.id = p.id RETURNING t.id`,
  });
  return rows.length;
}
