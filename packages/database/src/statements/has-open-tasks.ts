import type { PrincipalId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({ open: z.boolean() });

/**
 * Whether a principal has a task that has not ended. What tasks have started needs no look: it ends with the
 * task that started it. Locks nothing. Index: tasks_principal_id_open_idx, one entry.
 */
export async function hasOpenTasks(runner: SqlRunner, owner: PrincipalId): Promise<boolean> {
  const [row] = await runner.run({
    name: 'has-open-tasks',
    row: Row,
    sql: Prisma.sql`
      SELECT EXISTS (
        SELECT FROM tasks AS t
        WHERE t.principal_id = ${owner}::uuid AND t.finished_at IS NULL AND t.parent_task_id IS NULL
      ) AS open`,
  });
  return row?.open ?? false;
}
