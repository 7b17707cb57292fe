import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({ id: z.string() });

/**
 * Deletes schedules that ended `ageMs` milliseconds ago. Locks the rows it takes and skips those that others hold.
 * Index: schedules_ended_idx, `limit` entries.
 *
 * @returns how many
 */
export async function deleteEndedSchedules(
  runner: SqlRunner,
  ageMs: number,
  limit: number,
): Promise<number> {
  const rows = await runner.run({
    name: 'delete-ended-schedules',
    row: Row,
    sql: Prisma.sql`
      WITH picked AS MATERIALIZED (
        SELECT id FROM schedules
        WHERE state = 'ended' AND updated_at <= now() - ${ageMs}::float8 * interval '1 ms'
        ORDER BY updated_at
        LIMIT ${limit}::int
        FOR UPDATE SKIP LOCKED
      )
      DELETE FROM schedules AS s USING picked WHERE s.id = picked.id
      RETURNING s.id`,
  });
  return rows.length;
}
