import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { IS_SLOT_TAKEN } from '../rows/slot-key.ts';

const Row = z.object({ key: z.string(), taken: z.number() });

/**
 * Counts what runs under each of these limits, and deletes the slots of attempts that are over: finished,
 * given back, cancelled, or of a worker whose lease ran out.
 *
 * The caller holds the keys' locks (lockSlots) since an earlier statement, so nobody else writes these rows,
 * but for the deletion of expired tasks, whose slots are skipped. Indexes: task_slots_pkey and one probe of
 * tasks_pkey for each slot, which are as many as run and have run since the last count.
 */
export async function countSlots(
  runner: SqlRunner,
  keys: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await runner.run({
    name: 'count-slots',
    row: Row,
    sql: Prisma.sql`
      WITH slots AS MATERIALIZED (
        SELECT s.key, s.task_id, EXISTS (
          SELECT FROM tasks AS r WHERE r.id = s.task_id AND ${IS_SLOT_TAKEN}) AS is_taken
        FROM unnest(${keys}::text[]) AS i (key) JOIN task_slots AS s ON s.key = i.key
      ), over AS MATERIALIZED (
        SELECT s.key, s.task_id FROM slots JOIN task_slots AS s USING (key, task_id)
        WHERE NOT slots.is_taken
        FOR UPDATE OF s SKIP LOCKED
      ), freed AS (
        DELETE FROM task_slots AS s USING over AS o WHERE s.key = o.key AND s.task_id = o.task_id
      )
      SELECT key, count(*)::int AS taken FROM slots WHERE is_taken GROUP BY key`,
  });
  return new Map(rows.map(({ key, taken }) => [key, taken]));
}
