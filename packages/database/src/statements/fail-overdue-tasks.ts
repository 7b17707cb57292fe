import { DEADLINE_ERROR, type FailedTask } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { workMethodColumn } from '../rows/columns.ts';
import { ENDED_COLUMNS, EndedRow, toEndedTask } from '../rows/ended-row.ts';
import { HOLDER_LIVES, SET_UNCLAIMED } from '../rows/open-task.ts';

/** Workers that died with the task: those that were found out by the next claim, and the last one. */
const DIED = Prisma.sql`
  (t.lost + coalesce((t.lease_expires_at <= now() AND NOT ${HOLDER_LIVES})::int, 0))`;

const Row = EndedRow.extend({
  request_method: workMethodColumn,
  outcome_kind: z.enum(['tool_error', 'error']),
  is_lost: z.boolean(),
});

/**
 * Ends tasks that passed their execution deadline (outcome `error`) and tasks whose workers died `maxLost`
 * times (outcome an `isError` result), each with its `finished` event. A task of both kinds is late.
 *
 * Locks the rows it takes and skips those that others hold: they come with the next call. Indexes:
 * tasks_execution_deadline_open_idx from the earliest deadline on; tasks_lost_open_idx, which holds only
 * open tasks that lost a worker before. With `maxLost` 1 there was none before, so that case reads the
 * enqueued tasks (tasks_enqueued_at_sweep_idx), as many as the queues' windows hold.
 */
export async function failOverdueTasks(
  runner: SqlRunner,
  maxLost: number,
  limit: number,
): Promise<FailedTask[]> {
  const lostBefore =
    maxLost > 1
      ? Prisma.sql`t.lost > 0 AND t.lost >= ${maxLost - 1}::int`
      : Prisma.sql`t.enqueued_at IS NOT NULL`;
  const rows = await runner.run({
    name: 'fail-overdue-tasks',
    row: Row,
    sql: Prisma.sql`
      WITH late AS MATERIALIZED (
        SELECT ${ENDED_COLUMNS}, true AS is_late, ${DIED} AS died, t.lost FROM tasks AS t
        WHERE t.finished_at IS NULL AND t.execution_deadline <= now()
          AND t.execution_deadline IS NOT NULL
        ORDER BY t.execution_deadline
        LIMIT ${limit}::int
        FOR NO KEY UPDATE SKIP LOCKED
      ), abandoned AS MATERIALIZED (
        SELECT ${ENDED_COLUMNS}, false AS is_late, ${DIED} AS died, t.lost FROM tasks AS t
        WHERE t.finished_at IS NULL AND ${lostBefore} AND ${DIED} >= ${maxLost}::int
          AND (t.execution_deadline > now()) IS NOT FALSE
        LIMIT ${limit}::int
        FOR NO KEY UPDATE SKIP LOCKED
      ), picked AS MATERIALIZED (
        SELECT p.*, CASE WHEN is_late THEN ${DEADLINE_ERROR.message} ELSE
          'Gave up: the worker died ' || died || CASE WHEN died = 1 THEN ' time' ELSE ' times' END
            || ' while running this task.' END AS message
        FROM (SELECT * FROM late UNION ALL SELECT * FROM abandoned) AS p
        LIMIT ${limit}::int
      ), failed AS (
        UPDATE tasks AS t
        SET state = 'finished', outcome_kind = CASE WHEN p.is_late THEN 'error' ELSE 'tool_error' END,
            status_message = p.message, finished_at = now(), updated_at = now(), ${SET_UNCLAIMED}
        FROM picked AS p WHERE t.id = p.id
        RETURNING t.id, t.attempt, t.outcome_kind, t.request_method, t.tool_name, t.queue,
          p.session_id, p.worker_id, p.is_late, p.message, p.died > p.lost AS is_lost
      ), result AS (
        INSERT INTO task_results (task_id, payload)
        SELECT id, CASE WHEN is_late THEN ${JSON.stringify(DEADLINE_ERROR)}::json ELSE json_build_object(
          'content', json_build_array(json_build_object('type', 'text', 'text', message)),
          'isError', true) END
        FROM failed
      ), event AS (
        INSERT INTO task_events (task_id, kind, attempt, data)
        SELECT id, 'finished', nullif(attempt, 0), json_build_object('outcome', outcome_kind, 'reason',
          CASE WHEN is_late THEN 'TASK_DEADLINE' ELSE 'TASK_ABANDONED' END)
        FROM failed
      )
      SELECT id, session_id, worker_id, tool_name, queue, request_method, outcome_kind, is_lost FROM failed`,
  });
  return rows.map((row) => ({
    ...toEndedTask(row),
    requestMethod: row.request_method,
    outcomeKind: row.outcome_kind,
    isLost: row.is_lost,
  }));
}
