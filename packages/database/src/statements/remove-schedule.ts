import type { PrincipalId, Schedule } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { isUuid } from '../rows/is-uuid.ts';
import { SCHEDULE_COLUMNS, ScheduleRow, toSchedule } from '../rows/schedule-row.ts';

/**
 * Deletes a schedule. What it has started goes on. Locks the one row. Indexes: schedules_pkey by an id,
 * schedules_principal_id_name_key by a name.
 *
 * @param key id, or name of one that has not ended
 * @returns what was deleted; null when the owner has no such schedule
 */
export async function removeSchedule(
  runner: SqlRunner,
  owner: PrincipalId,
  key: string,
): Promise<Schedule | null> {
  const isIt = isUuid(key)
    ? Prisma.sql`s.id = ${key}::uuid`
    : Prisma.sql`s.name = ${key}::text AND s.state <> 'ended'`;
  const [row] = await runner.run({
    name: 'remove-schedule',
    row: ScheduleRow,
    sql: Prisma.sql`
      DELETE FROM schedules AS s WHERE s.principal_id = ${owner}::uuid AND ${isIt}
      RETURNING ${SCHEDULE_COLUMNS}`,
  });
  return row === undefined ? null : toSchedule(row);
}
