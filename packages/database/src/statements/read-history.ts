import type { PrincipalId, TaskHistory, TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { jsonObjectColumn } from '../rows/columns.ts';
import { OWNED_CALL } from '../rows/owned-batch.ts';
import { taskEvents, taskEventsColumn } from '../rows/task-events.ts';
import { TASK_COLUMNS, TaskRow, toTask } from '../rows/task-row.ts';

const Row = TaskRow.extend({
  arguments: jsonObjectColumn,
  attempt: z.number(),
  max_attempts: z.number(),
  lost: z.number(),
  is_lost: z.boolean(),
  lease_left_ms: z.number().nullable(),
  below: z.object({ lost: z.number(), lease_left_ms: z.number().nullable() }),
  run_after: z.date().nullable(),
  events: taskEventsColumn,
});

const leaseLeftMs = (expiresAt: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`extract(epoch FROM ${expiresAt} - now())::float8 * 1000`;

const leastOf = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/**
 * Reads, for its owner, a task with a handle, what its tool was called with, and the latest of what has happened to it.
 * Locks nothing. Indexes: tasks_pkey, then task_events_pkey from the end and tasks_parent_task_id_open_idx.
 *
 * @returns null when the task is unknown, expired, somebody else's, or a call without a handle
 */
export async function readHistory(
  runner: SqlRunner,
  id: TaskId,
  owner: PrincipalId,
  limit: number,
): Promise<TaskHistory | null> {
  const [row] = await runner.run({
    name: 'read-history',
    row: Row,
    sql: Prisma.sql`
      SELECT ${TASK_COLUMNS}, t.arguments, t.attempt, t.max_attempts, t.lost, t.run_after,
        (t.claimed_by IS NOT NULL AND t.lease_expires_at <= now()) IS TRUE AS is_lost,
        ${leaseLeftMs(Prisma.sql`CASE WHEN t.claimed_by IS NOT NULL THEN t.lease_expires_at END`)} AS lease_left_ms,
        (
          SELECT json_build_object(
            'lost', coalesce(sum(c.lost + ((c.lease_expires_at <= now()) IS TRUE)::int), 0),
            'lease_left_ms', ${leaseLeftMs(Prisma.sql`min(c.lease_expires_at)`)}
          )
          FROM tasks AS c WHERE c.parent_task_id = t.id AND c.finished_at IS NULL
        ) AS below,
        ${taskEvents(limit)} AS events
      ${OWNED_CALL(id, owner)} AND t.listed`,
  });
  if (row === undefined) return null;
  return {
    task: toTask(row),
    arguments: row.arguments,
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    lost: row.lost,
    lostBelow: row.below.lost,
    isLost: row.is_lost,
    leaseLeftMs: leastOf(row.lease_left_ms, row.below.lease_left_ms),
    runAfter: row.run_after,
    events: row.events,
  };
}
