import type { WorkerPresence } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({ workers: z.number(), offering: z.number() });

/**
 * Counts the workers that were seen within `graceMs` milliseconds, and those of them that offer a tool. Locks nothing.
 * Indexes: workers_heartbeat_at_idx, catalogue_entries_pkey.
 */
export async function countWorkers(
  runner: SqlRunner,
  graceMs: number,
  toolName: string | null,
): Promise<WorkerPresence> {
  const [row] = await runner.run({
    name: 'count-workers',
    row: Row,
    sql: Prisma.sql`
      SELECT count(*)::int AS workers, count(e.worker_id)::int AS offering
      FROM workers AS w
      LEFT JOIN catalogue_entries AS e ON e.worker_id = w.id AND e.kind = 'tool' AND e.name = ${toolName}::text
      WHERE w.heartbeat_at > now() - ${graceMs}::float8 * interval '1 ms'`,
  });
  return row ?? { workers: 0, offering: 0 };
}
