import type { PrincipalId, SessionId, Task } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { IS_ALIVE } from '../rows/open-task.ts';
import { TASK_COLUMNS, TaskRow, toTask } from '../rows/task-row.ts';

/** A stream that comes back asks about tasks of late; an owner's older ones are not read for it. */
const NEWEST = 1_000;

/**
 * Reads the tasks with a handle of a session that changed after `since`, oldest change first, among the
 * newest of their owner. Locks nothing. Index: tasks_owner_newest_idx, at most NEWEST entries.
 */
export async function findChangedTasks(
  runner: SqlRunner,
  sessionId: SessionId,
  owner: PrincipalId,
  since: Date,
  limit: number,
): Promise<Task[]> {
  const rows = await runner.run({
    name: 'find-changed-tasks',
    row: TaskRow,
    sql: Prisma.sql`
      SELECT ${TASK_COLUMNS} FROM (
        SELECT t.* FROM tasks AS t
        WHERE t.principal_id = ${owner}::uuid AND t.listed
        ORDER BY t.created_at DESC, t.id DESC
        LIMIT ${NEWEST}::int
      ) AS t
      WHERE t.session_id = ${sessionId}::uuid AND t.updated_at > ${since}::timestamptz AND ${IS_ALIVE}
      ORDER BY t.updated_at, t.id
      LIMIT ${limit}::int`,
  });
  return rows.map(toTask);
}
