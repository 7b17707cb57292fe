import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { IS_ALIVE } from '../rows/open-task.ts';
import type { LogKey } from './read-logs.ts';

const Row = z.object({ position: z.number() });

/**
 * Says which tasks have log messages after a place in their history, each for its owner. Locks nothing. Indexes, once
 * for each key: tasks_pkey, then task_events_pkey from that place on.
 *
 * @returns positions in `keys`
 */
export async function findLoggedTasks(
  runner: SqlRunner,
  keys: readonly Pick<LogKey, 'id' | 'owner' | 'after'>[],
): Promise<ReadonlySet<number>> {
  const rows = await runner.run({
    name: 'find-logged-tasks',
    row: Row,
    sql: Prisma.sql`
      SELECT i.position::int - 1 AS position
      FROM unnest(
        ${keys.map(({ id }) => id)}::uuid[], ${keys.map(({ owner }) => owner)}::uuid[],
        ${keys.map(({ after }) => after)}::bigint[]
      ) WITH ORDINALITY AS i (id, owner, after, position)
      JOIN tasks AS t ON t.id = i.id AND t.principal_id = i.owner AND ${IS_ALIVE}
      CROSS JOIN LATERAL (
        SELECT 1 FROM task_events AS e
        WHERE e.task_id = t.id AND e.id > i.after AND e.kind = 'log'
        ORDER BY e.id
        LIMIT 1
      ) AS e`,
  });
  return new Set(rows.map(({ position }) => position));
}
