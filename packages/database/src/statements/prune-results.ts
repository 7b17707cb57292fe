import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { taskIdColumn } from '../rows/columns.ts';
import { pickUnpruned, setPruned } from '../rows/pruned-parts.ts';

const Row = z.object({ id: taskIdColumn });

/**
 * Deletes the results of tasks that ended `ageMs` milliseconds ago. The tasks stay, and say so when they are
 * asked for their result (outcome-row.ts).
 *
 * Locks the tasks and their results. Indexes: those of pickUnpruned; task_results_pkey, a probe per task.
 *
 * @returns how many tasks
 */
export async function pruneResults(
  runner: SqlRunner,
  ageMs: number,
  limit: number,
): Promise<number> {
  const rows = await runner.run({
    name: 'prune-results',
    row: Row,
    sql: Prisma.sql`
      WITH picked AS MATERIALIZED (${pickUnpruned('results', ageMs, limit)}), result AS (
        DELETE FROM task_results AS r USING picked AS p WHERE r.task_id = p.id
      )
      UPDATE tasks AS t SET ${setPruned('results')} FROM picked AS p WHERE t.id = p.id RETURNING t.id`,
  });
  return rows.length;
}
