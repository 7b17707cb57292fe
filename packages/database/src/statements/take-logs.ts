import type { LoggedMessage, PrincipalId, TaskId } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { LogRow, toLoggedMessage } from '../rows/log-row.ts';
import { IS_ALIVE } from '../rows/open-task.ts';

export interface LogTaker {
  readonly taskId: TaskId;
  readonly owner: PrincipalId;
  readonly stream: string;
  readonly previous: string | null;
  readonly after: string;
  readonly limit: number;
}

/**
 * Gives log messages of an owner's listed task to a stream, oldest first, and notes how far they went:
 * those after `after` when `previous` was the last to take some, else those nobody has taken.
 *
 * Locks the task's row, and only when there is something to take: of two streams that come at once the
 * second waits for the first and takes what it left. Indexes: tasks_pkey, then task_events_pkey from that
 * place on. The update is heap-only.
 */
export async function takeLogs(runner: SqlRunner, taker: LogTaker): Promise<LoggedMessage[]> {
  const after = Prisma.sql`
    CASE WHEN t.logs_taken_by = ${taker.previous}::uuid THEN least(t.logs_taken, ${taker.after}::bigint)
      ELSE coalesce(t.logs_taken, 0) END`;
  const rows = await runner.run({
    name: 'take-logs',
    row: LogRow,
    sql: Prisma.sql`
      WITH target AS MATERIALIZED (
        SELECT t.id, ${after} AS after
        FROM tasks AS t
        WHERE t.id = ${taker.taskId}::uuid AND t.principal_id = ${taker.owner}::uuid AND t.listed
          AND ${IS_ALIVE}
          AND EXISTS (
            SELECT 1 FROM task_events AS e
            WHERE e.task_id = t.id AND e.kind = 'log' AND e.id > ${after}
          )
        FOR NO KEY UPDATE OF t
      ), taken AS MATERIALIZED (
        SELECT e.id, e.data
        FROM target JOIN task_events AS e ON e.task_id = target.id
        WHERE e.id > target.after AND e.kind = 'log'
        ORDER BY e.id
        LIMIT ${taker.limit}::int
      ), noted AS (
        UPDATE tasks AS t
        SET logs_taken = last.id, logs_taken_by = ${taker.stream}::uuid
        FROM (SELECT max(id) AS id FROM taken) AS last
        WHERE t.id = ${taker.taskId}::uuid AND last.id IS NOT NULL
      )
      SELECT id::text AS id, data FROM taken ORDER BY taken.id`,
  });
  return rows.map(toLoggedMessage);
}
