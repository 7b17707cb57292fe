import { type Progress, serverFailure, type Task } from '@longshore/core';
import * as z from 'zod';
import { Prisma } from '../generated/client.ts';
import {
  logLevelColumn,
  requestIdColumn,
  sessionIdColumn,
  taskIdColumn,
  tokenColumn,
} from './columns.ts';

/** What a `Task` is made of, for a table or CTE called `t`. */
export const TASK_COLUMNS = Prisma.sql`
  t.id, t.session_id, t.era, t.listed, t.request_id, t.log_level, t.tool_name, t.progress_token,
  t.progress, t.progress_total, t.progress_message, t.status_message, t.created_at, t.updated_at,
  t.ttl_ms::float8 AS ttl_ms, t.state, t.outcome_kind,
  (t.claimed_by IS NOT NULL AND t.lease_expires_at > now()) IS TRUE AS is_held`;

export const TaskRow = z.object({
  id: taskIdColumn,
  session_id: sessionIdColumn.nullable(),
  era: z.enum(['legacy', 'modern']),
  listed: z.boolean(),
  request_id: requestIdColumn,
  log_level: logLevelColumn,
  tool_name: z.string(),
  progress_token: tokenColumn,
  progress: z.number().nullable(),
  progress_total: z.number().nullable(),
  progress_message: z.string().nullable(),
  status_message: z.string().nullable(),
  created_at: z.date(),
  updated_at: z.date(),
  ttl_ms: z.number().nullable(),
  state: z.enum(['working', 'input_required', 'finished', 'cancelled']),
  outcome_kind: z.enum(['result', 'tool_error', 'error']).nullable(),
  is_held: z.boolean(),
});
export type TaskRow = z.infer<typeof TaskRow>;

/** @throws {LongshoreError} INTERNAL for a finished task without an outcome, which a check forbids */
export function toTask(row: TaskRow): Task {
  const task = {
    id: row.id,
    sessionId: row.session_id,
    era: row.era,
    listed: row.listed,
    requestId: row.request_id,
    logLevel: row.log_level,
    toolName: row.tool_name,
    progressToken: row.progress_token,
    progress: toProgress(row),
    statusMessage: row.status_message,
    isHeld: row.is_held,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ttlMs: row.ttl_ms,
  };
  if (row.state !== 'finished') return { ...task, state: row.state };
  if (row.outcome_kind === null) {
    throw serverFailure('INTERNAL', `task ${row.id} is finished without an outcome`);
  }
  return { ...task, state: row.state, outcomeKind: row.outcome_kind };
}

export function toProgress(row: {
  readonly progress: number | null;
  readonly progress_total: number | null;
  readonly progress_message: string | null;
}): Progress | null {
  if (row.progress === null) return null;
  return { progress: row.progress, total: row.progress_total, message: row.progress_message };
}
