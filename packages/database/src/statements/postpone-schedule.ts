import type { SchedulePlace } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { isAtPlace } from '../rows/schedule-place.ts';

const Row = z.object({ id: z.string() });

/**
 * Leaves a due time of a schedule for later. Locks the one row (index schedules_pkey).
 * @returns false when the schedule is not where it was seen
 */
export async function postponeSchedule(
  runner: SqlRunner,
  place: SchedulePlace,
  delayMs: number,
  note: string,
): Promise<boolean> {
  const rows = await runner.run({
    name: 'postpone-schedule',
    row: Row,
    sql: Prisma.sql`
      UPDATE schedules SET wake_at = now() + ${delayMs}::float8 * interval '1 ms', note = ${note}::text,
        updated_at = now()
      WHERE ${isAtPlace(place)}
      RETURNING id`,
  });
  return rows.length > 0;
}
