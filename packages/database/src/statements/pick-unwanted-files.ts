import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({ id: z.string() });

/**
 * Picks files whose bytes are to be deleted: given up, or being written by an attempt that is over. Those
 * that others hold are skipped; what is picked is due again in `retryInMs`.
 *
 * Index: task_files_sweep_after_idx, from the earliest on; tasks_pkey, one probe each. What an attempt still
 * writes after an hour is looked at and left.
 */
export async function pickUnwantedFiles(
  runner: SqlRunner,
  limit: number,
  retryInMs: number,
): Promise<string[]> {
  const rows = await runner.run({
    name: 'pick-unwanted-files',
    row: Row,
    sql: Prisma.sql`
      UPDATE task_files AS u SET sweep_after = now() + ${retryInMs}::float8 * interval '1 ms'
      FROM (
        SELECT f.id FROM task_files AS f
        WHERE f.sweep_after <= now() AND (f.state = 'unwanted' OR NOT EXISTS (
          SELECT FROM tasks AS t
          WHERE t.id = f.task_id AND t.attempt = f.attempt AND t.claimed_by IS NOT NULL AND t.finished_at IS NULL
        ))
        ORDER BY f.sweep_after
        LIMIT ${limit}::int
        FOR UPDATE SKIP LOCKED
      ) AS due
      WHERE u.id = due.id
      RETURNING u.id`,
  });
  return rows.map(({ id }) => id);
}
