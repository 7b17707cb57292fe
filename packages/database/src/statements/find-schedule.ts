import type { PrincipalId, Schedule } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { SCHEDULE_COLUMNS, ScheduleRow, toSchedule } from '../rows/schedule-row.ts';

/** Reads the schedule that has this name. Locks nothing. Index: schedules_principal_id_name_key. */
export async function findSchedule(
  runner: SqlRunner,
  owner: PrincipalId,
  name: string,
): Promise<Schedule | null> {
  const [row] = await runner.run({
    name: 'find-schedule',
    row: ScheduleRow,
    sql: Prisma.sql`
      SELECT ${SCHEDULE_COLUMNS} FROM schedules AS s
      WHERE s.principal_id = ${owner}::uuid AND s.name = ${name}::text AND s.state <> 'ended'`,
  });
  return row === undefined ? null : toSchedule(row);
}
