import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({ fingerprint: z.string().nullable() });

/**
 * Finds the version of a tool that is to run a task accepted for `fingerprint`: that one when a worker seen
 * within `graceMs` milliseconds offers it, else that of the worker that started last, as in the catalogue.
 * Locks nothing. Indexes: workers_heartbeat_at_idx, then catalogue_entries_pkey, one probe per worker.
 *
 * @returns its fingerprint; null when it has none, or when nobody offers the tool
 */
export async function findToolVersion(
  runner: SqlRunner,
  toolName: string,
  fingerprint: string,
  graceMs: number,
): Promise<string | null> {
  const [row] = await runner.run({
    name: 'find-tool-version',
    row: Row,
    sql: Prisma.sql`
      SELECT e.fingerprint
      FROM workers AS w JOIN catalogue_entries AS e ON e.worker_id = w.id
      WHERE w.heartbeat_at > now() - ${graceMs}::float8 * interval '1 ms'
        AND e.kind = 'tool' AND e.name = ${toolName}
      ORDER BY (e.fingerprint = ${fingerprint}) IS TRUE DESC, w.started_at DESC, w.id
      LIMIT 1`,
  });
  return row?.fingerprint ?? null;
}
