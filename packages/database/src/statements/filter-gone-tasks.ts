import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({ id: z.string() });

/** Those of the ids that no task has. Index: tasks_pkey, one probe each. Locks nothing. */
export async function filterGoneTasks(
  runner: SqlRunner,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await runner.run({
    name: 'filter-gone-tasks',
    row: Row,
    sql: Prisma.sql`
      SELECT g.id FROM unnest(${[...ids]}::uuid[]) AS g(id)
      WHERE NOT EXISTS (SELECT FROM tasks AS t WHERE t.id = g.id)`,
  });
  return rows.map(({ id }) => id);
}
