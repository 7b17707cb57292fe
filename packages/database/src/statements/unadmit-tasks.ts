import type { TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

/**
 * Puts admitted tasks back into the backlog, unless a worker got them in spite of all.
 *
 * Locks the rows in the order of their ids (index tasks_pkey, one probe each).
 */
export async function unadmitTasks(runner: SqlRunner, ids: readonly TaskId[]): Promise<void> {
  await runner.run({
    name: 'unadmit-tasks',
    row: z.unknown(),
    sql: Prisma.sql`
      UPDATE tasks AS t SET enqueued_at = NULL
      FROM unnest(${ids.toSorted()}::uuid[]) AS i (id)
      WHERE t.id = i.id AND t.finished_at IS NULL AND t.claimed_by IS NULL`,
  });
}
