import { type ListedTask, type NamedPrincipal, TASK_PHASES } from '@longshore/core';
import * as z from 'zod';
import { Prisma } from '../generated/client.ts';
import { principalIdColumn, taskIdColumn, workerIdColumn, workMethodColumn } from './columns.ts';
import { toProgress } from './task-row.ts';

/** The TaskPhase of a task called `t`. */
export const PHASE = Prisma.sql`
  CASE
    WHEN t.state = 'cancelled' THEN 'cancelled'
    WHEN t.state = 'finished' THEN CASE WHEN t.outcome_kind = 'result' THEN 'completed' ELSE 'failed' END
    WHEN t.state = 'input_required' THEN 'input_required'
    WHEN t.claimed_by IS NOT NULL AND t.lease_expires_at > now() THEN 'running'
    WHEN t.run_after > now() THEN 'retrying'
    WHEN t.enqueued_at IS NOT NULL THEN 'ready'
    ELSE 'waiting'
  END`;

/**
 * What a `ListedTask` is made of, for tables or CTEs called `t` (tasks) and `p` (auth_contexts, joined from the left). Index: tasks_called_idx,
 * a probe each.
 */
export const LISTED_COLUMNS = Prisma.sql`
  t.id, ${PHASE} AS phase, t.tool_name, t.queue, t.principal_id, p.kind AS principal_kind, p.subject AS principal_subject,
  t.era, t.request_method, t.parent_task_id, t.attempt, t.failures, t.max_attempts, t.progress, t.progress_total,
  t.progress_message, t.status_message,
  CASE WHEN t.lease_expires_at > now() THEN t.claimed_by END AS worker_id,
  EXISTS (
    SELECT FROM tasks AS c WHERE c.parent_task_id = t.id AND c.request_method <> 'longshore/chunk'
  ) AS has_called,
  t.created_at, t.started_at, t.finished_at`;

export const principalKindColumn = z.enum([
  'anonymous',
  'anonymous_session',
  'api_key',
  'oauth',
  'stdio',
]);

export const ListedTaskRow = z.object({
  id: taskIdColumn,
  phase: z.enum(TASK_PHASES),
  tool_name: z.string(),
  queue: z.string(),
  principal_id: principalIdColumn,
  principal_kind: principalKindColumn.nullable(),
  principal_subject: z.string().nullable(),
  era: z.enum(['legacy', 'modern']),
  request_method: workMethodColumn,
  parent_task_id: taskIdColumn.nullable(),
  attempt: z.number(),
  failures: z.number(),
  max_attempts: z.number(),
  progress: z.number().nullable(),
  progress_total: z.number().nullable(),
  progress_message: z.string().nullable(),
  status_message: z.string().nullable(),
  worker_id: workerIdColumn.nullable(),
  has_called: z.boolean(),
  created_at: z.date(),
  started_at: z.date().nullable(),
  finished_at: z.date().nullable(),
});
export type ListedTaskRow = z.infer<typeof ListedTaskRow>;

export function toListedTask(row: ListedTaskRow): ListedTask {
  return {
    id: row.id,
    phase: row.phase,
    toolName: row.tool_name,
    queue: row.queue,
    principalId: row.principal_id,
    principal: toNamedPrincipal(row),
    era: row.era,
    method: row.request_method,
    parentId: row.parent_task_id,
    attempt: row.attempt,
    failures: row.failures,
    maxAttempts: row.max_attempts,
    progress: toProgress(row),
    message: row.status_message,
    workerId: row.worker_id,
    hasCalled: row.has_called,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}

function toNamedPrincipal(row: ListedTaskRow): NamedPrincipal | null {
  const { principal_id: id, principal_kind: kind, principal_subject: subject } = row;
  return kind === null || subject === null ? null : { id, kind, subject };
}
