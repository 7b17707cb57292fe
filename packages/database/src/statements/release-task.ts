import type { Fence, TaskId, WorkerId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { taskIdColumn } from '../rows/columns.ts';
import { isHeldWith, SET_UNCLAIMED } from '../rows/open-task.ts';

const Row = z.object({ id: taskIdColumn });

/** Whose claim is given up. */
export type Released =
  | Omit<Fence, 'taskId'>
  /** Any attempt of this worker but the one it does run (null: none): the answer to its claim never came. */
  | { readonly workerId: WorkerId; readonly running: number | null };

/**
 * Gives a task back unrun, due at once, with a `released` event. It counts neither as a failure nor as
 * lost: nobody holds the task afterwards, so the next claim takes over no lease.
 *
 * Locks the one row (index tasks_pkey).
 *
 * @returns false when it holds the task no longer
 */
export async function releaseTask(runner: SqlRunner, id: TaskId, by: Released): Promise<boolean> {
  const holds =
    'attempt' in by
      ? isHeldWith(by)
      : Prisma.sql`t.claimed_by = ${by.workerId}::uuid AND t.finished_at IS NULL
          AND t.attempt IS DISTINCT FROM ${by.running}::int`;
  const rows = await runner.run({
    name: 'release-task',
    row: Row,
    sql: Prisma.sql`
      WITH released AS (
        UPDATE tasks AS t SET state = 'working', updated_at = now(), ${SET_UNCLAIMED}
        WHERE t.id = ${id}::uuid AND ${holds}
        RETURNING t.id, t.attempt
      ), event AS (
        INSERT INTO task_events (task_id, kind, attempt) SELECT id, 'released', attempt FROM released
      )
      SELECT id FROM released`,
  });
  return rows.length > 0;
}
