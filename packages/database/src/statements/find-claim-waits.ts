import type { TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { IS_RUNNABLE } from '../rows/open-task.ts';
import { LimitedTaskRow } from '../rows/slot-key.ts';

const Row = LimitedTaskRow.extend({ retry_in_ms: z.number() });
export type ClaimWait = z.infer<typeof Row>;

/**
 * Says of tasks that could not be claimed how long until they can be, by the database's clock: the end of
 * the lease or the retry time; and which limits they run under. Locks nothing. Index: tasks_pkey.
 *
 * It runs after the claim, so it sees who won. A task that became free in between, or waits only for its
 * limits, is due in 0 ms.
 *
 * @returns milliseconds by id; tasks that will never run again are missing
 */
export async function findClaimWaits(
  runner: SqlRunner,
  ids: readonly TaskId[],
): Promise<ReadonlyMap<TaskId, ClaimWait>> {
  const rows = await runner.run({
    name: 'find-claim-waits',
    row: Row,
    sql: Prisma.sql`
      SELECT t.id, t.principal_id, t.tool_name, t.queue, t.principal_limit, t.tool_limit, t.queue_limit,
        ceil(1000 * extract(epoch FROM
          greatest(t.lease_expires_at, t.run_after, now()) - now()))::float8 AS retry_in_ms
      FROM unnest(${ids}::uuid[]) AS i (id) JOIN tasks AS t ON t.id = i.id
      WHERE ${IS_RUNNABLE}`,
  });
  return new Map(rows.map((row) => [row.id, row]));
}
