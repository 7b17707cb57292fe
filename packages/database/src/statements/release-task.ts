import type { TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { taskIdColumn } from '../rows/columns.ts';
import { isHeldBy, SET_UNCLAIMED } from '../rows/open-task.ts';

const Row = z.object({ id: taskIdColumn });

/**
 * Gives a task back unrun, due at once, with a `released` event. It counts neither as a failure nor as
 * lost: nobody holds the task afterwards, so the next claim takes over no lease.
 *
 * Locks the one row (index tasks_pkey).
 *
 * @returns false when the attempt no longer holds the task
 */
export async function releaseTask(
  runner: SqlRunner,
  id: TaskId,
  attempt: number,
): Promise<boolean> {
  const rows = await runner.run({
    name: 'release-task',
    row: Row,
    sql: Prisma.sql`
      WITH released AS (
        UPDATE tasks AS t SET state = 'working', updated_at = now(), ${SET_UNCLAIMED}
        WHERE t.id = ${id}::uuid AND ${isHeldBy(Prisma.sql`${attempt}::int`)}
        RETURNING t.id, t.attempt
      ), event AS (
        INSERT INTO task_events (task_id, kind, attempt) SELECT id, 'released', attempt FROM released
      )
      SELECT id FROM released`,
  });
  return rows.length > 0;
}
