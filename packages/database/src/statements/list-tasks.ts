import type { PrincipalId, Task, TaskListPosition, TaskStatus } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { IS_ALIVE } from '../rows/open-task.ts';
import { TASK_COLUMNS, TaskRow, toTask } from '../rows/task-row.ts';

const NEWEST_FIRST = Prisma.sql`ORDER BY t.created_at DESC, t.id DESC`;

/** Tasks that a page looks at to find those that ended in one way: as many as a page of operators. */
const MOST_LOOKED_AT = 20_000;

/**
 * Reads one page of an owner's tasks, newest first, those with a handle only. Locks nothing.
 * Index: tasks_owner_newest_idx in its own order, from the position on, so a late page costs no more than
 * the first one. Of open tasks tasks_principal_id_open_idx where there are few, which may be old.
 *
 * @param after where the page before ended; that task need not exist any more
 * @param status null: all
 */
export async function listTasks(
  runner: SqlRunner,
  owner: PrincipalId,
  limit: number,
  after: TaskListPosition | null,
  status: TaskStatus | null,
): Promise<Task[]> {
  const position =
    after === null
      ? Prisma.empty
      : Prisma.sql`AND (t.created_at, t.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`;
  const theirs = Prisma.sql`
    FROM tasks AS t WHERE t.principal_id = ${owner}::uuid AND t.listed AND ${IS_ALIVE} ${position}`;
  const rows = await runner.run({
    name: 'list-tasks',
    row: TaskRow,
    sql: Prisma.sql`
      SELECT ${TASK_COLUMNS} ${status === null ? theirs : withStatus(status, theirs)}
      ${NEWEST_FIRST} LIMIT ${limit}::int`,
  });
  return rows.map(toTask);
}

/** @param theirs the tasks to choose from, up to the end of their condition */
function withStatus(status: TaskStatus, theirs: Prisma.Sql): Prisma.Sql {
  switch (status) {
    case 'working':
    case 'input_required':
      // Nobody has a handle of a task that another one has started: the index has none.
      return Prisma.sql`${theirs} AND t.finished_at IS NULL AND t.parent_task_id IS NULL AND t.state = ${status}`;
    case 'cancelled':
      return Prisma.sql`${newest(theirs)} WHERE t.state = 'cancelled'`;
    case 'completed':
      return Prisma.sql`${newest(theirs)} WHERE t.outcome_kind = 'result'`;
    case 'failed':
      return Prisma.sql`${newest(theirs)} WHERE t.outcome_kind IN ('tool_error', 'error')`;
  }
}

const newest = (theirs: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`FROM (SELECT * ${theirs} ${NEWEST_FIRST} LIMIT ${MOST_LOOKED_AT}::int) AS t`;
