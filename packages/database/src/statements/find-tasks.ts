import type { PrincipalId, Task, TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { IS_ALIVE } from '../rows/open-task.ts';
import { TASK_COLUMNS, TaskRow, toTask } from '../rows/task-row.ts';

export interface TaskKey {
  readonly id: TaskId;
  readonly owner: PrincipalId;
}

const Row = TaskRow.extend({ position: z.number() });

/**
 * Reads tasks by their ids, each for its owner. Locks nothing. Index: tasks_pkey, one probe each.
 *
 * @param keys the same one may come more than once
 * @returns by position in `keys`; missing when the task is unknown, expired, somebody else's, or a call
 *   without a handle
 */
export async function findTasks(
  runner: SqlRunner,
  keys: readonly TaskKey[],
): Promise<ReadonlyMap<number, Task>> {
  const rows = await runner.run({
    name: 'find-tasks',
    row: Row,
    sql: Prisma.sql`
      SELECT i.position::int - 1 AS position, ${TASK_COLUMNS}
      FROM unnest(${keys.map(({ id }) => id)}::uuid[], ${keys.map(({ owner }) => owner)}::uuid[])
        WITH ORDINALITY AS i (id, owner, position)
      JOIN tasks AS t ON t.id = i.id AND t.principal_id = i.owner
      WHERE t.listed AND ${IS_ALIVE}`,
  });
  return new Map(rows.map((row) => [row.position, toTask(row)]));
}
