import type { JsonValue, Outcome, TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { toOutcome } from '../rows/outcome-row.ts';

const Row = z.object({
  state: z.enum(['working', 'input_required', 'finished', 'cancelled']),
  outcome_kind: z.enum(['result', 'tool_error', 'error']).nullable(),
  payload: z.custom<JsonValue>(),
});

/**
 * Reads what came of a task that another one started. Locks nothing. Indexes: tasks_pkey, task_results_pkey.
 *
 * @returns null while it is open; `cancelled` also when it is gone
 */
export async function findChildOutcome(
  runner: SqlRunner,
  parentId: TaskId,
  childId: TaskId,
): Promise<Outcome | { readonly kind: 'cancelled' } | null> {
  const [row] = await runner.run({
    name: 'find-child-outcome',
    row: Row,
    sql: Prisma.sql`
      SELECT t.state, t.outcome_kind, r.payload
      FROM tasks AS t LEFT JOIN task_results AS r ON r.task_id = t.id
      WHERE t.id = ${childId}::uuid AND t.parent_task_id = ${parentId}::uuid`,
  });
  if (row === undefined || row.state === 'cancelled') return { kind: 'cancelled' };
  return row.outcome_kind === null ? null : toOutcome(row.outcome_kind, row.payload);
}
