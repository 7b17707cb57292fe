import type { AuthBindingId, PrincipalId, TaskFacts, TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { jsonObjectColumn } from '../rows/columns.ts';
import { LISTED_COLUMNS, ListedTaskRow, toListedTask } from '../rows/listed-task.ts';
import { IS_ALIVE } from '../rows/open-task.ts';
import { taskEvents, taskEventsColumn } from '../rows/task-events.ts';

const Row = ListedTaskRow.extend({
  listed: z.boolean(),
  auth_binding_id: z.custom<AuthBindingId>(
    (value) => typeof value === 'string',
    'not a uuid column',
  ),
  arguments: jsonObjectColumn,
  outcome_kind: z.enum(['result', 'tool_error', 'error']).nullable(),
  lost: z.number(),
  ttl_ms: z.number().nullable(),
  expires_at: z.date().nullable(),
  execution_deadline: z.date().nullable(),
  run_after: z.date().nullable(),
  timeout_ms: z.number(),
  idempotency_key: z.string().nullable(),
  tool_version: z.string().nullable(),
  events: taskEventsColumn,
});

/**
 * Reads a task, of one owner or of anybody, with the latest of what has happened to it. Locks nothing. Indexes: tasks_pkey,
 * auth_contexts_pkey, tasks_called_idx, task_events_pkey from the end.
 *
 * @param owner null: of anybody, calls without a handle too
 */
export async function readTaskFacts(
  runner: SqlRunner,
  id: TaskId,
  owner: PrincipalId | null,
  events: number,
): Promise<TaskFacts | null> {
  const owned =
    owner === null ? Prisma.empty : Prisma.sql`AND t.principal_id = ${owner}::uuid AND t.listed`;
  const [row] = await runner.run({
    name: 'read-task-facts',
    row: Row,
    sql: Prisma.sql`
      SELECT ${LISTED_COLUMNS}, t.listed, t.auth_binding_id, t.arguments, t.outcome_kind, t.lost, t.ttl_ms::float8 AS ttl_ms, t.expires_at,
        t.execution_deadline, t.run_after, t.timeout_ms::float8 AS timeout_ms, t.idempotency_key, t.tool_version,
        ${taskEvents(events)} AS events
      FROM tasks AS t LEFT JOIN auth_contexts AS p ON p.id = t.principal_id
      WHERE t.id = ${id}::uuid AND ${IS_ALIVE} ${owned}`,
  });
  if (row === undefined) return null;
  return {
    ...toListedTask(row),
    listed: row.listed,
    authBindingId: row.auth_binding_id,
    arguments: row.arguments,
    outcomeKind: row.outcome_kind,
    lost: row.lost,
    ttlMs: row.ttl_ms,
    expiresAt: row.expires_at,
    deadline: row.execution_deadline,
    runAfter: row.run_after,
    timeoutMs: row.timeout_ms,
    idempotencyKey: row.idempotency_key,
    toolVersion: row.tool_version,
    events: row.events,
  };
}
