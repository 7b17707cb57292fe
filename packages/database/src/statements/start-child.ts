import type { Fence, NewChild } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { CHILD_COLUMNS, INHERITED } from '../rows/child-task.ts';
import { taskIdColumn } from '../rows/columns.ts';
import { lockHeld } from '../rows/open-task.ts';

const Row = z.object({ id: taskIdColumn });

/**
 * Inserts a task that a running one starts, with its `created` event, unless it is there already. The relay
 * brings its job.
 *
 * Locks the parent's row (index tasks_pkey).
 *
 * @returns false, with nothing inserted, when the attempt no longer holds the parent
 */
export async function startChild(
  runner: SqlRunner,
  parent: Fence,
  child: NewChild,
): Promise<boolean> {
  const rows = await runner.run({
    name: 'start-child',
    row: Row,
    sql: Prisma.sql`
      WITH held AS MATERIALIZED (${lockHeld(parent, Prisma.sql`t.*`)}), task AS (
        INSERT INTO tasks (
          id, request_method, tool_name, arguments, abilities, queue, max_attempts, timeout_ms,
          tool_limit, lane, trace_context, ${CHILD_COLUMNS}
        )
        SELECT ${child.id}::uuid, 'tools/call', ${child.toolName}, ${JSON.stringify(child.arguments)}::json,
          h.abilities, ${child.queue}, ${child.maxAttempts}::int, ${child.timeoutMs}::float8,
          ${child.toolLimit}::int, ${child.toolLimit === null ? '' : child.toolName},
          ${child.traceContext ?? null}::text, ${INHERITED}
        FROM held AS h
        ON CONFLICT (id) DO NOTHING
        RETURNING id
      ), event AS (
        INSERT INTO task_events (task_id, kind) SELECT id, 'created' FROM task
      )
      SELECT id FROM held`,
  });
  return rows.length > 0;
}
