import type { TaskId, WorkerId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { SET_UNCLAIMED } from '../rows/open-task.ts';

/**
 * Gives a task back that a worker has without running it, due at once, with a `released` event: its claim was
 * committed, and the answer never came. Like releaseTask, for one who does not know the number of the attempt.
 *
 * Locks the one row (index tasks_pkey).
 *
 * @param running the attempt of the task that the worker does run; null: none
 */
export async function disownTask(
  runner: SqlRunner,
  id: TaskId,
  workerId: WorkerId,
  running: number | null,
): Promise<void> {
  await runner.run({
    name: 'disown-task',
    row: z.unknown(),
    sql: Prisma.sql`
      WITH released AS (
        UPDATE tasks AS t SET state = 'working', updated_at = now(), ${SET_UNCLAIMED}
        WHERE t.id = ${id}::uuid AND t.claimed_by = ${workerId}::uuid AND t.finished_at IS NULL
          AND t.attempt IS DISTINCT FROM ${running}::int
        RETURNING t.id, t.attempt
      )
      INSERT INTO task_events (task_id, kind, attempt) SELECT id, 'released', attempt FROM released`,
  });
}
