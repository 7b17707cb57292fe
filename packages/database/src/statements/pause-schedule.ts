import type { SchedulePlace } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { isAtPlace } from '../rows/schedule-place.ts';

const Row = z.object({ id: z.string() });

/**
 * Stops a schedule, with the reason for its owner to see. Locks the one row (index schedules_pkey).
 * @returns false when the schedule is not where it was seen
 */
export async function pauseSchedule(
  runner: SqlRunner,
  place: SchedulePlace,
  note: string,
): Promise<boolean> {
  const rows = await runner.run({
    name: 'pause-schedule',
    row: Row,
    sql: Prisma.sql`
      UPDATE schedules
      SET state = 'paused', next_run_at = NULL, wake_at = NULL, note = ${note}::text, updated_at = now()
      WHERE ${isAtPlace(place)}
      RETURNING id`,
  });
  return rows.length > 0;
}
