import type { AuthBindingId, ScheduleId, WakingSchedule } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { limitsColumn } from '../rows/limits-column.ts';
import { SCHEDULE_COLUMNS, ScheduleRow } from '../rows/schedule-row.ts';

const Row = ScheduleRow.extend({
  nextRunAt: z.date(),
  authBindingId: z.custom<AuthBindingId>((value) => typeof value === 'string'),
  credential: z.enum(['valid', 'revoked', 'expired', 'gone']),
  limits: limitsColumn.transform((limits) => limits ?? {}),
  isLastOpen: z.boolean(),
  wakesInMs: z.number(),
  now: z.date(),
});

/** One schedule, or those that are to be looked at within some milliseconds. */
export type WakingFilter =
  | { readonly id: ScheduleId }
  | { readonly withinMs: number; readonly limit: number };

/**
 * Reads active schedules with all that a run of one needs, the earliest first. For processes of ours: of all
 * principals. Locks nothing.
 *
 * Indexes: schedules_pkey for one, else schedules_wake_at_idx, `limit` entries; for each a probe of
 * auth_bindings_pkey, api_keys_auth_binding_id_key, sessions_auth_binding_id_idx when its owner is a session,
 * and tasks_pkey.
 */
export async function findWakingSchedules(
  runner: SqlRunner,
  filter: WakingFilter,
): Promise<WakingSchedule[]> {
  const picked =
    'id' in filter
      ? Prisma.sql`SELECT * FROM schedules WHERE id = ${filter.id}::uuid AND wake_at IS NOT NULL`
      : Prisma.sql`
        SELECT * FROM schedules WHERE wake_at <= now() + ${filter.withinMs}::float8 * interval '1 ms'
        ORDER BY wake_at LIMIT ${filter.limit}::int`;
  return runner.run({
    name: 'find-waking-schedules',
    row: Row,
    sql: Prisma.sql`
      WITH s AS MATERIALIZED (${picked})
      SELECT ${SCHEDULE_COLUMNS}, s.auth_binding_id AS "authBindingId", k.limits,
        CASE
          WHEN b.id IS NULL THEN 'gone'
          WHEN k.revoked_at IS NOT NULL THEN 'revoked'
          WHEN k.expires_at <= now() THEN 'expired'
          WHEN b.method = 'anonymous_session'
            AND NOT EXISTS (SELECT FROM sessions AS o WHERE o.auth_binding_id = b.id) THEN 'gone'
          ELSE 'valid'
        END AS credential,
        EXISTS (
          SELECT FROM tasks AS t
          WHERE t.id = s.last_task_id AND t.principal_id = s.principal_id AND t.finished_at IS NULL
        ) AS "isLastOpen",
        (extract(epoch FROM s.wake_at - now()) * 1000)::float8 AS "wakesInMs",
        now()::timestamptz(3) AS now
      FROM s
      LEFT JOIN auth_bindings AS b ON b.id = s.auth_binding_id AND b.auth_context_id = s.principal_id
      LEFT JOIN api_keys AS k ON k.auth_binding_id = b.id
      ORDER BY s.wake_at`,
  });
}
