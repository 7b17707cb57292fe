import type { EventCursor, LoggedMessage, PrincipalId, TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { LogRow, toLoggedMessage } from '../rows/log-row.ts';
import { IS_ALIVE } from '../rows/open-task.ts';

export interface LogKey {
  readonly id: TaskId;
  readonly owner: PrincipalId;
  readonly after: EventCursor;
  readonly limit: number;
}

const Row = LogRow.extend({ position: z.number() });

/**
 * Reads log messages of tasks, each for its owner and after a place in its history, oldest first. Locks
 * nothing. Indexes, once for each key: tasks_pkey, then task_events_pkey from that place on.
 *
 * @returns by position in `keys`; missing when there are none
 */
export async function readLogs(
  runner: SqlRunner,
  keys: readonly LogKey[],
): Promise<ReadonlyMap<number, LoggedMessage[]>> {
  const rows = await runner.run({
    name: 'read-logs',
    row: Row,
    sql: Prisma.sql`
      SELECT i.position::int - 1 AS position, e.id::text AS id, e.data
      FROM unnest(
        ${keys.map(({ id }) => id)}::uuid[], ${keys.map(({ owner }) => owner)}::uuid[],
        ${keys.map(({ after }) => after)}::bigint[], ${keys.map(({ limit }) => limit)}::int[]
      ) WITH ORDINALITY AS i (id, owner, after, size, position)
      JOIN tasks AS t ON t.id = i.id AND t.principal_id = i.owner AND ${IS_ALIVE}
      CROSS JOIN LATERAL (
        SELECT e.id, e.data FROM task_events AS e
        WHERE e.task_id = t.id AND e.id > i.after AND e.kind = 'log'
        ORDER BY e.id
        LIMIT i.size
      ) AS e
      ORDER BY i.position, e.id`,
  });
  const found = new Map<number, LoggedMessage[]>();
  for (const row of rows) {
    const messages = found.get(row.position) ?? [];
    messages.push(toLoggedMessage(row));
    found.set(row.position, messages);
  }
  return found;
}
