import type { Schedule, ScheduleId } from '@longshore/core';
import * as z from 'zod';
import { Prisma } from '../generated/client.ts';
import { jsonObjectColumn, principalIdColumn, taskIdColumn } from './columns.ts';

/** What a `Schedule` is made of, for a table or CTE called `s`. */
export const SCHEDULE_COLUMNS = Prisma.sql`
  s.id, s.principal_id, s.name, s.tool_name, s.arguments, s.cron, s.run_at, s.time_zone, s.missed, s.overlap,
  s.ttl_ms::float8 AS ttl_ms, s.state, s.next_run_at, s.last_run_at, s.last_task_id, s.runs::float8 AS runs,
  s.skipped::float8 AS skipped, s.note, s.created_at`;

export const ScheduleRow = z.object({
  id: z.custom<ScheduleId>((value) => typeof value === 'string', 'not a uuid column'),
  principal_id: principalIdColumn,
  name: z.string().nullable(),
  tool_name: z.string(),
  arguments: jsonObjectColumn,
  cron: z.string().nullable(),
  run_at: z.date().nullable(),
  time_zone: z.string(),
  missed: z.enum(['skip', 'run_once', 'run_all']),
  overlap: z.enum(['skip', 'start']),
  ttl_ms: z.number().nullable(),
  state: z.enum(['active', 'paused', 'ended']),
  next_run_at: z.date().nullable(),
  last_run_at: z.date().nullable(),
  last_task_id: taskIdColumn.nullable(),
  runs: z.number(),
  skipped: z.number(),
  note: z.string().nullable(),
  created_at: z.date(),
});

export function toSchedule(row: z.output<typeof ScheduleRow>): Schedule {
  return {
    id: row.id,
    principalId: row.principal_id,
    name: row.name,
    toolName: row.tool_name,
    arguments: row.arguments,
    cron: row.cron,
    runAt: row.run_at,
    timeZone: row.time_zone,
    missed: row.missed,
    overlap: row.overlap,
    ttlMs: row.ttl_ms,
    state: row.state,
    nextRunAt: row.next_run_at,
    lastRunAt: row.last_run_at,
    lastTaskId: row.last_task_id,
    runs: row.runs,
    skipped: row.skipped,
    note: row.note,
    createdAt: row.created_at,
  };
}
