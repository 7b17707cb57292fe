import type { ScheduleFiring, SchedulePlace } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({ id: z.string() });

/**
 * Moves a schedule behind the due times that were dealt with; it ends when there are no more. Not before the
 * first of them is due. To be run in the transaction that accepts its task.
 *
 * Locks the one row (index schedules_pkey), and waits for it. Of two that wait for each other the second finds another
 * `next_run_at`, or none, and does nothing: so a due time is dealt with once.
 *
 * @returns false when the schedule is not where it was seen
 */
export async function advanceSchedule(
  runner: SqlRunner,
  place: SchedulePlace,
  { run, skipped, nextRunAt, note }: ScheduleFiring,
): Promise<boolean> {
  const rows = await runner.run({
    name: 'advance-schedule',
    row: Row,
    sql: Prisma.sql`
      UPDATE schedules SET
        state = CASE WHEN ${nextRunAt}::timestamptz IS NULL THEN 'ended' ELSE state END,
        next_run_at = ${nextRunAt}::timestamptz, wake_at = ${nextRunAt}::timestamptz,
        last_run_at = coalesce(${run?.dueAt ?? null}::timestamptz, last_run_at),
        last_task_id = coalesce(${run?.task.id ?? null}::uuid, last_task_id),
        runs = runs + ${run === null ? 0 : 1}::int, skipped = skipped + ${skipped}::int,
        note = ${note}::text, updated_at = now()
      WHERE id = ${place.id}::uuid AND principal_id = ${place.principalId}::uuid
        AND next_run_at = ${place.nextRunAt}::timestamptz AND next_run_at <= now()
      RETURNING id`,
  });
  return rows.length > 0;
}
