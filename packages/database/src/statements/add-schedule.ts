import type { NewSchedule } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({ id: z.string() });

/**
 * Inserts a schedule, unless its first time is over. To be run under the principal's lock (lockSchedules), after
 * its name was found to be free. Shares the principal's row (foreign key).
 *
 * @returns false when its first time is over
 */
export async function addSchedule(runner: SqlRunner, schedule: NewSchedule): Promise<boolean> {
  const rows = await runner.run({
    name: 'add-schedule',
    row: Row,
    sql: Prisma.sql`
      INSERT INTO schedules (
        id, principal_id, auth_binding_id, name, tool_name, arguments, cron, run_at, time_zone, missed,
        overlap, ttl_ms, next_run_at, wake_at
      )
      SELECT ${schedule.id}::uuid, ${schedule.principalId}::uuid, ${schedule.authBindingId}::uuid,
        ${schedule.name}::text, ${schedule.toolName}::text, ${JSON.stringify(schedule.arguments)}::json,
        ${schedule.cron}::text, ${schedule.runAt}::timestamptz, ${schedule.timeZone}::text,
        ${schedule.missed}::text, ${schedule.overlap}::text, ${schedule.ttlMs}::float8::bigint,
        ${schedule.nextRunAt}::timestamptz, ${schedule.nextRunAt}::timestamptz
      WHERE ${schedule.nextRunAt}::timestamptz > now()
      RETURNING id`,
  });
  return rows.length > 0;
}
