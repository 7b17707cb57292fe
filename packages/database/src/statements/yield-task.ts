import type { TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { IS_FREE } from '../rows/open-task.ts';

/**
 * Puts a task that is due, and that nobody runs, back into the backlog, from which the relay brings it when
 * its limits allow it.
 *
 * Locks the one row (index tasks_pkey).
 */
export async function yieldTask(runner: SqlRunner, id: TaskId): Promise<void> {
  await runner.run({
    name: 'yield-task',
    row: z.unknown(),
    sql: Prisma.sql`
      UPDATE tasks AS t SET enqueued_at = NULL, run_after = NULL
      WHERE t.id = ${id}::uuid AND t.finished_at IS NULL AND ${IS_FREE}`,
  });
}
