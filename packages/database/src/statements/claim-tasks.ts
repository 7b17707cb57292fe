import type { Claim, TaskId, WorkerId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { abilitiesColumn } from '../rows/abilities-column.ts';
import {
  jsonObjectColumn,
  logLevelColumn,
  principalIdColumn,
  sessionIdColumn,
  taskIdColumn,
  tokenColumn,
  workerIdColumn,
  workMethodColumn,
} from '../rows/columns.ts';
import { inIdOrder } from '../rows/in-id-order.ts';
import { HOLDER_LIVES, IS_FREE, IS_RUNNABLE, IS_UNLIMITED } from '../rows/open-task.ts';
import { toProgress } from '../rows/task-row.ts';

export interface ClaimRequest {
  readonly id: TaskId;
  readonly workerId: WorkerId;
  readonly leaseMs: number;
  /** Tools of which nothing is to start; the same for all that are claimed together. */
  readonly pausedTools?: readonly string[];
}

const Row = z.object({
  id: taskIdColumn,
  attempt: z.number(),
  worker_id: workerIdColumn,
  failures: z.number(),
  max_attempts: z.number(),
  principal_id: principalIdColumn,
  session_id: sessionIdColumn.nullable(),
  parent_task_id: taskIdColumn.nullable(),
  request_method: workMethodColumn,
  tool_name: z.string(),
  tool_fingerprint: z.string().nullable(),
  arguments: jsonObjectColumn,
  abilities: abilitiesColumn,
  log_level: logLevelColumn,
  progress_token: tokenColumn,
  progress: z.number().nullable(),
  progress_total: z.number().nullable(),
  progress_message: z.string().nullable(),
  timeout_ms: z.number(),
  /** Milliseconds until the execution deadline, by the database's clock. */
  deadline_in_ms: z.number().nullable(),
  queue: z.string(),
  trace_context: z.string().nullable(),
  waited_ms: z.number().nullable(),
  is_taken_over: z.boolean(),
});

/**
 * The commit does not wait until it is flushed. After a crash of Postgres the claim may be gone: then the task waits as
 * before, and what the attempt writes is refused, for it is claimed by nobody, or by another worker (`Fence`). What the
 * attempt has written by then has flushed the claim with it.
 */
const UNFLUSHED = Prisma.sql`, set_config('synchronous_commit', 'off', true)`;

/**
 * Starts the next attempt of each task that is open, due and held by nobody, with its `started` event.
 *
 * Locks the rows in the order of their ids (index tasks_pkey, one probe each). Of two claims of one task the
 * second waits for the first and then finds the task held. Taking over a lease that ran out counts as a
 * lost attempt, unless its worker lives: then that has never run it. A task whose job was there though nobody had
 * admitted it is admitted by this.
 *
 * @param requests each task once
 * @param which `unlimited` leaves tasks alone that run under limits, `any` is for a caller who has made sure
 *   that their limits allow it (PostgresAttemptStore), and is flushed: a lost claim would be a slot too many
 * @returns the claims that succeeded, in no particular order
 */
export async function claimTasks(
  runner: SqlRunner,
  requests: readonly ClaimRequest[],
  which: 'unlimited' | 'any',
): Promise<Claim[]> {
  const sorted = inIdOrder(requests);
  const allowed = which === 'any' ? Prisma.empty : Prisma.sql`AND ${IS_UNLIMITED}`;
  const paused = requests[0]?.pausedTools ?? [];
  const started =
    paused.length === 0 ? Prisma.empty : Prisma.sql`AND t.tool_name <> ALL (${paused}::text[])`;
  const rows = await runner.run({
    name: 'claim-tasks',
    row: Row,
    sql: Prisma.sql`
      WITH claimed AS (
        UPDATE tasks AS t
        SET state = 'working',
            attempt = t.attempt + 1,
            lost = t.lost + (t.claimed_by IS NOT NULL AND NOT ${HOLDER_LIVES})::int,
            claimed_by = i.worker_id,
            lease_expires_at = now() + i.lease_ms * interval '1 ms',
            run_after = NULL,
            enqueued_at = coalesce(t.enqueued_at, now()),
            started_at = coalesce(t.started_at, now()),
            updated_at = now()
        FROM unnest(
          ${sorted.map(({ id }) => id)}::uuid[], ${sorted.map(({ workerId }) => workerId)}::uuid[],
          ${sorted.map(({ leaseMs }) => leaseMs)}::float8[]
        ) AS i (id, worker_id, lease_ms)
        WHERE t.id = i.id AND ${IS_RUNNABLE} AND ${IS_FREE} ${allowed} ${started}
        RETURNING
          t.id, t.attempt, t.failures, t.max_attempts, t.principal_id, t.session_id,
          t.parent_task_id, t.request_method, t.tool_name, t.tool_fingerprint, t.arguments, t.abilities,
          t.log_level, t.progress_token,
          t.progress, t.progress_total, t.progress_message, t.timeout_ms, t.execution_deadline,
          t.claimed_by, t.queue, t.trace_context,
          CASE WHEN t.attempt = 1 THEN (extract(epoch FROM now() - t.created_at) * 1000)::float8 END AS waited_ms,
          -- Read again, as it was before, only where a worker has died some time.
          CASE WHEN t.lost = 0 THEN false
            ELSE t.lost > (SELECT before.lost FROM tasks AS before WHERE before.id = t.id) END AS is_taken_over
      ), event AS (
        INSERT INTO task_events (task_id, kind, attempt, data)
        SELECT id, 'started', attempt, json_build_object('workerId', claimed_by) FROM claimed
      )
      SELECT id, attempt, claimed_by AS worker_id, failures, max_attempts, principal_id, session_id, parent_task_id,
        request_method, tool_name, tool_fingerprint, arguments, abilities, log_level, progress_token,
        progress, progress_total, progress_message, timeout_ms::float8 AS timeout_ms,
        (extract(epoch FROM execution_deadline - now()) * 1000)::float8 AS deadline_in_ms, queue, trace_context, waited_ms, is_taken_over
        ${which === 'unlimited' ? UNFLUSHED : Prisma.empty}
      FROM claimed`,
  });
  return rows.map((row) => ({
    taskId: row.id,
    attempt: row.attempt,
    workerId: row.worker_id,
    failures: row.failures,
    maxAttempts: row.max_attempts,
    principalId: row.principal_id,
    sessionId: row.session_id,
    parentTaskId: row.parent_task_id,
    requestMethod: row.request_method,
    toolName: row.tool_name,
    toolFingerprint: row.tool_fingerprint,
    queue: row.queue,
    arguments: row.arguments,
    abilities: row.abilities,
    logLevel: row.log_level,
    progressToken: row.progress_token,
    traceContext: row.trace_context,
    waitedMs: row.waited_ms,
    isTakenOver: row.is_taken_over,
    progress: toProgress(row),
    timeoutMs: row.timeout_ms,
    deadline: row.deadline_in_ms === null ? null : new Date(Date.now() + row.deadline_in_ms),
  }));
}
