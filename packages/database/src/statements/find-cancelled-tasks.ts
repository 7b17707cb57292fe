import type { TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { taskIdColumn } from '../rows/columns.ts';

const Row = z.object({ id: taskIdColumn });

export interface AttemptKey {
  readonly taskId: TaskId;
  readonly attempt: number;
}

/**
 * Says which attempts ended because their task was cancelled. Locks nothing. Index: tasks_pkey, one probe
 * each.
 *
 * It runs after the heartbeat that lost them, so it sees a cancel which that one waited for.
 */
export async function findCancelledTasks(
  runner: SqlRunner,
  attempts: readonly AttemptKey[],
): Promise<ReadonlySet<TaskId>> {
  const rows = await runner.run({
    name: 'find-cancelled-tasks',
    row: Row,
    sql: Prisma.sql`
      SELECT t.id
      FROM unnest(
        ${attempts.map(({ taskId }) => taskId)}::uuid[], ${attempts.map(({ attempt }) => attempt)}::int[]
      ) AS i (id, attempt) JOIN tasks AS t ON t.id = i.id
      WHERE t.state = 'cancelled' AND t.attempt = i.attempt`,
  });
  return new Set(rows.map(({ id }) => id));
}
