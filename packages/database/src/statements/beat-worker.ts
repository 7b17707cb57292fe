import type { WorkerId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { workerIdColumn } from '../rows/columns.ts';

const Row = z.object({ id: workerIdColumn });

/**
 * Notes that a worker lives. Locks the one row (index workers_pkey).
 *
 * @returns false when its row is gone
 */
export async function beatWorker(runner: SqlRunner, id: WorkerId): Promise<boolean> {
  const rows = await runner.run({
    name: 'beat-worker',
    row: Row,
    sql: Prisma.sql`UPDATE workers SET heartbeat_at = now() WHERE id = ${id}::uuid RETURNING id`,
  });
  return rows.length > 0;
}
