import type { PrincipalId, Schedule, ScheduleListPosition } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { SCHEDULE_COLUMNS, ScheduleRow, toSchedule } from '../rows/schedule-row.ts';

/**
 * Reads one page of an owner's schedules, newest first. Locks nothing. Index: schedules_owner_newest_idx in its
 * own order, from the position on.
 *
 * @param after where the page before ended; that schedule need not exist any more
 */
export async function listSchedules(
  runner: SqlRunner,
  owner: PrincipalId,
  limit: number,
  after: ScheduleListPosition | null,
): Promise<Schedule[]> {
  const position =
    after === null
      ? Prisma.empty
      : Prisma.sql`AND (s.created_at, s.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`;
  const rows = await runner.run({
    name: 'list-schedules',
    row: ScheduleRow,
    sql: Prisma.sql`
      SELECT ${SCHEDULE_COLUMNS} FROM schedules AS s
      WHERE s.principal_id = ${owner}::uuid ${position}
      ORDER BY s.created_at DESC, s.id DESC
      LIMIT ${limit}::int`,
  });
  return rows.map(toSchedule);
}
