import type { JsonValue, TaskWithOutcome } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { IS_ALIVE } from '../rows/open-task.ts';
import { toOutcome } from '../rows/outcome-row.ts';
import { TASK_COLUMNS, TaskRow, toTask } from '../rows/task-row.ts';
import type { TaskKey } from './find-tasks.ts';

const Row = TaskRow.extend({ position: z.number(), payload: z.custom<JsonValue>() });

/**
 * Reads tasks with what they produced, each for its owner; calls without a handle too. Locks nothing.
 * Indexes: tasks_pkey and task_results_pkey, one probe each. One statement, so that state and result agree.
 *
 * @param keys the same one may come more than once
 * @returns by position in `keys`; missing when the task is unknown, expired or somebody else's
 */
export async function findOutcomes(
  runner: SqlRunner,
  keys: readonly TaskKey[],
): Promise<ReadonlyMap<number, TaskWithOutcome>> {
  const rows = await runner.run({
    name: 'find-outcomes',
    row: Row,
    sql: Prisma.sql`
      SELECT i.position::int - 1 AS position, ${TASK_COLUMNS}, r.payload
      FROM unnest(${keys.map(({ id }) => id)}::uuid[], ${keys.map(({ owner }) => owner)}::uuid[])
        WITH ORDINALITY AS i (id, owner, position)
      JOIN tasks AS t ON t.id = i.id AND t.principal_id = i.owner
      LEFT JOIN task_results AS r ON r.task_id = t.id
      WHERE ${IS_ALIVE}`,
  });
  return new Map(
    rows.map((row) => {
      const outcome = row.outcome_kind === null ? null : toOutcome(row.outcome_kind, row.payload);
      return [row.position, { task: toTask(row), outcome }];
    }),
  );
}
