import type { TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { taskIdColumn } from '../rows/columns.ts';
import type { NewTaskRow } from '../rows/new-task-row.ts';

/** `created`: null when all were, because none of the group has an idempotency key. */
const Row = z.object({ created_at: z.date(), created: z.array(taskIdColumn).nullable() });

/**
 * How a group is inserted in which calls may be known already. Only such groups pay for it: the check makes
 * Postgres write another record per row. Rows that are known are left out; a transaction that is inserting
 * one is waited for. In the order of the keys, so that two groups do not wait for each other.
 */
const KEYED = {
  order: Prisma.sql`ORDER BY input.principal_id, input.tool_name, input.idempotency_key`,
  onConflict: Prisma.sql`
    ON CONFLICT (principal_id, tool_name, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
    RETURNING id, outcome_kind`,
  results: Prisma.sql`AND id = ANY (ARRAY(SELECT id FROM accepted))`,
  events: Prisma.sql`accepted`,
  created: Prisma.sql`ARRAY(SELECT id FROM accepted)`,
} as const;

const UNKEYED = {
  order: Prisma.empty,
  onConflict: Prisma.empty,
  results: Prisma.empty,
  events: Prisma.sql`input`,
  created: Prisma.sql`NULL::uuid[]`,
} as const;

/**
 * Inserts tasks with their `created` event; those that come with an outcome are finished at once, with
 * their result and a `finished` event. A task whose idempotency key is taken is not inserted.
 *
 * Locks: only rows it makes. Indexes: none is read, unless there are keys: then
 * tasks_principal_id_tool_name_idempotency_key_key, a probe each. All times are the statement's start by the
 * database's clock, so every task of the group has the same creation time.
 *
 * @returns that time, and the ids that were inserted; null: all
 */
export async function acceptTasks(
  runner: SqlRunner,
  rows: readonly NewTaskRow[],
): Promise<{ createdAt: Date; created: ReadonlySet<TaskId> | null }> {
  const column = <Key extends keyof NewTaskRow>(key: Key): NewTaskRow[Key][] =>
    rows.map((row) => row[key]);
  const mode = rows.some(({ idempotencyKey }) => idempotencyKey !== null) ? KEYED : UNKEYED;
  const [accepted] = await runner.run({
    name: 'accept-tasks',
    row: Row,
    sql: Prisma.sql`
      WITH input AS MATERIALIZED (
        SELECT * FROM unnest(
          ${column('id')}::uuid[], ${column('principalId')}::uuid[], ${column('authBindingId')}::uuid[],
          ${column('sessionId')}::uuid[], ${column('era')}::text[], ${column('requestMethod')}::text[],
          ${column('requestId')}::text[], ${column('listed')}::boolean[], ${column('toolName')}::text[],
          ${column('toolFingerprint')}::text[],
          ${column('arguments')}::json[], ${column('progressToken')}::json[],
          ${column('abilities')}::json[], ${column('logLevel')}::text[], ${column('queue')}::text[],
          ${column('maxAttempts')}::int[], ${column('timeoutMs')}::float8[],
          ${column('deadlineMs')}::float8[], ${column('ttlMs')}::float8[], ${column('enqueue')}::boolean[],
          ${column('outcomeKind')}::text[], ${column('payload')}::json[], ${column('statusMessage')}::text[],
          ${column('idempotencyKey')}::text[], ${column('argumentsHash')}::text[],
          ${column('principalLimit')}::int[], ${column('toolLimit')}::int[], ${column('queueLimit')}::int[],
          ${column('traceContext')}::text[]
        ) AS i (
          id, principal_id, auth_binding_id, session_id, era, request_method, request_id, listed, tool_name,
          tool_fingerprint,
          arguments, progress_token, abilities, log_level, queue, max_attempts, timeout_ms, deadline_ms,
          ttl_ms, enqueue, outcome_kind, payload, status_message, idempotency_key, arguments_hash,
          principal_limit, tool_limit, queue_limit, trace_context
        )
      ), accepted AS (
        INSERT INTO tasks (
          id, principal_id, auth_binding_id, session_id, era, request_method, request_id, listed, tool_name,
          tool_fingerprint,
          arguments, progress_token, abilities, log_level, queue, state, outcome_kind, status_message,
          max_attempts, timeout_ms, execution_deadline, ttl_ms, expires_at, created_at, updated_at,
          enqueued_at, finished_at, idempotency_key, arguments_hash,
          lane, principal_limit, tool_limit, queue_limit, trace_context
        )
        SELECT
          id, principal_id, auth_binding_id, session_id, era, request_method, request_id, listed, tool_name,
          tool_fingerprint,
          arguments, progress_token, abilities, log_level, queue,
          CASE WHEN outcome_kind IS NULL THEN 'working' ELSE 'finished' END,
          outcome_kind, status_message, max_attempts, timeout_ms,
          now() + deadline_ms * interval '1 ms', ttl_ms, now() + ttl_ms * interval '1 ms', now(), now(),
          CASE WHEN enqueue AND outcome_kind IS NULL THEN now() END,
          CASE WHEN outcome_kind IS NOT NULL THEN now() END, idempotency_key, arguments_hash,
          CASE WHEN tool_limit IS NULL THEN '' ELSE tool_name END, principal_limit, tool_limit, queue_limit,
          trace_context
        FROM input ${mode.order} ${mode.onConflict}
      ), result AS (
        INSERT INTO task_results (task_id, payload)
        SELECT id, payload FROM input WHERE outcome_kind IS NOT NULL ${mode.results}
      ), event AS (
        INSERT INTO task_events (task_id, kind, data)
        SELECT id, 'created', NULL FROM ${mode.events}
        UNION ALL
        SELECT id, 'finished', json_build_object('outcome', outcome_kind)
        FROM ${mode.events} WHERE outcome_kind IS NOT NULL
      )
      SELECT now()::timestamptz(3) AS created_at, ${mode.created} AS created`,
  });
  if (accepted === undefined) throw new Error('accept-tasks returned no row');
  return {
    createdAt: accepted.created_at,
    created: accepted.created === null ? null : new Set(accepted.created),
  };
}
