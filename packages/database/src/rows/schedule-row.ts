import type { ScheduleId } from '@longshore/core';
import * as z from 'zod';
import { Prisma } from '../generated/client.ts';
import { jsonObjectColumn, principalIdColumn, taskIdColumn } from './columns.ts';

/** What a `ScheduleRow` reads, for a table or CTE called `s`, under the names that Prisma's client has for it. */
export const SCHEDULE_COLUMNS = Prisma.sql`
  s.id, s.principal_id AS "principalId", s.name, s.tool_name AS "toolName", s.arguments, s.cron, s.run_at AS "runAt",
  s.time_zone AS "timeZone", s.missed, s.overlap, s.ttl_ms AS "ttlMs", s.state, s.next_run_at AS "nextRunAt",
  s.last_run_at AS "lastRunAt", s.last_task_id AS "lastTaskId", s.runs, s.skipped, s.note,
  s.created_at AS "createdAt"`;

/** A Schedule, as a statement or Prisma's client has read it. */
export const ScheduleRow = z.object({
  id: z.custom<ScheduleId>((value) => typeof value === 'string', 'not a uuid column'),
  principalId: principalIdColumn,
  name: z.string().nullable(),
  toolName: z.string(),
  arguments: jsonObjectColumn,
  cron: z.string().nullable(),
  runAt: z.date().nullable(),
  timeZone: z.string(),
  missed: z.enum(['skip', 'run_once', 'run_all']),
  overlap: z.enum(['skip', 'start']),
  ttlMs: z.coerce.number().nullable(),
  state: z.enum(['active', 'paused', 'ended']),
  nextRunAt: z.date().nullable(),
  lastRunAt: z.date().nullable(),
  lastTaskId: taskIdColumn.nullable(),
  runs: z.coerce.number(),
  skipped: z.coerce.number(),
  note: z.string().nullable(),
  createdAt: z.date(),
});
