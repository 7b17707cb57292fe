import type { TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { HOLDER_LIVES, SET_UNCLAIMED } from '../rows/open-task.ts';

/**
 * Puts tasks whose jobs are not in the queue back into the backlog, from which the relay brings them when they have
 * their turn. Not those that a worker has in spite of all; one whose lease is over loses the task.
 *
 * Locks the rows in the order of their ids (index tasks_pkey, one probe each).
 */
export async function unadmitTasks(runner: SqlRunner, ids: readonly TaskId[]): Promise<void> {
  await runner.run({
    name: 'unadmit-tasks',
    row: z.unknown(),
    sql: Prisma.sql`
      UPDATE tasks AS t
      SET enqueued_at = NULL, state = 'working',
        lost = t.lost + (t.claimed_by IS NOT NULL AND NOT ${HOLDER_LIVES})::int, ${SET_UNCLAIMED}
      FROM unnest(${ids.toSorted()}::uuid[]) AS i (id)
      WHERE t.id = i.id AND t.finished_at IS NULL AND (t.lease_expires_at <= now()) IS NOT FALSE`,
  });
}
