import type { Fence, LogMessage } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { taskIdColumn } from '../rows/columns.ts';
import { lockHeld } from '../rows/open-task.ts';

const Row = z.object({ id: taskIdColumn });

/**
 * Keeps log messages of an attempt that still holds its task, as `log` events in the order given.
 *
 * Locks the task's row first (index tasks_pkey), as all that writes events does: so numbers of events are
 * in the order of their commits, and a reader that goes on after a number misses none; and no event comes
 * after its task was deleted.
 *
 * @returns false, with nothing written, when the attempt no longer holds the task
 */
export async function appendLogs(
  runner: SqlRunner,
  fence: Fence,
  messages: readonly LogMessage[],
): Promise<boolean> {
  const rows = await runner.run({
    name: 'append-logs',
    row: Row,
    sql: Prisma.sql`
      WITH held AS MATERIALIZED (${lockHeld(fence)}), event AS (
        INSERT INTO task_events (task_id, kind, attempt, data)
        SELECT held.id, 'log', ${fence.attempt}::int, i.data
        FROM held, unnest(${messages.map((message) => JSON.stringify(message))}::json[])
          WITH ORDINALITY AS i (data, position)
        ORDER BY i.position
      )
      SELECT id FROM held`,
  });
  return rows.length > 0;
}
