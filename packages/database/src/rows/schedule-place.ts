import type { SchedulePlace } from '@longshore/core';
import { Prisma } from '../generated/client.ts';

/**
 * That a row of `schedules` is still where it was seen. Of two statements that wait for each other at the row
 * the second finds another `next_run_at`, or none, and does nothing: so a due time is dealt with once.
 */
export function isAtPlace({ id, principalId, nextRunAt }: SchedulePlace): Prisma.Sql {
  return Prisma.sql`
    id = ${id}::uuid AND principal_id = ${principalId}::uuid AND next_run_at = ${nextRunAt}::timestamptz`;
}
