import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { workerIdColumn } from '../rows/columns.ts';

const Row = z.object({ id: workerIdColumn });

/**
 * Deletes workers not seen for `goneMs` milliseconds, with their tools (foreign key).
 *
 * Locks the rows it deletes; one that beats at this moment is waited for and then left alone.
 * Index: workers_heartbeat_at_idx.
 *
 * @returns how many
 */
export async function deleteGoneWorkers(runner: SqlRunner, goneMs: number): Promise<number> {
  const rows = await runner.run({
    name: 'delete-gone-workers',
    row: Row,
    sql: Prisma.sql`
      DELETE FROM workers WHERE heartbeat_at <= now() - ${goneMs}::float8 * interval '1 ms'
      RETURNING id`,
  });
  return rows.length;
}
