import type { Fence } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { taskIdColumn } from '../rows/columns.ts';
import { IS_RUNNABLE, isHeldWith } from '../rows/open-task.ts';

const Row = z.object({ id: taskIdColumn });

/**
 * Locks the task of an attempt until the transaction ends, so that its questions are asked, answered and
 * timed out one after the other: whoever waits here sees in its next statement what the other one wrote.
 * Everybody takes the task's lock before those of its questions, and these in the order of their ids.
 *
 * Index: tasks_pkey.
 *
 * @returns false when the attempt no longer holds the task
 */
export async function lockAttempt(runner: SqlRunner, fence: Fence): Promise<boolean> {
  const rows = await runner.run({
    name: 'lock-attempt',
    row: Row,
    sql: Prisma.sql`
      SELECT t.id FROM tasks AS t
      WHERE t.id = ${fence.taskId}::uuid AND ${isHeldWith(fence)} AND ${IS_RUNNABLE}
      FOR NO KEY UPDATE`,
  });
  return rows.length > 0;
}
