import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { jsonObjectColumn } from '../rows/columns.ts';

const Row = z.object({
  name: z.string(),
  fingerprint: z.string().nullable(),
  definition: jsonObjectColumn,
});
export type ToolVersionRow = z.infer<typeof Row>;

/** Enough to see what is wrong. */
const MAX_ROWS = 1_000;

/**
 * Reads the tools that workers seen within `graceMs` milliseconds announce in more than one way, whatever they differ
 * in, once for each way. Locks nothing. Compares all entries of these workers, so it is for their start and for operators.
 * Indexes: workers_heartbeat_at_idx, then catalogue_entries_pkey.
 *
 * Definitions are compared as texts and not looked into: schemas may have NUL in them, which Postgres can not read.
 *
 * @returns by name
 */
export async function findToolVersions(
  runner: SqlRunner,
  graceMs: number,
): Promise<ToolVersionRow[]> {
  return runner.run({
    name: 'find-tool-versions',
    row: Row,
    sql: Prisma.sql`
      WITH offered AS (
        SELECT DISTINCT e.name, e.fingerprint, e.definition::text AS definition
        FROM workers AS w JOIN catalogue_entries AS e ON e.worker_id = w.id
        WHERE w.heartbeat_at > now() - ${graceMs}::float8 * interval '1 ms' AND e.kind = 'tool'
      ), counted AS (
        SELECT name, fingerprint, definition, count(*) OVER (PARTITION BY name) AS ways FROM offered
      )
      SELECT name, fingerprint, definition::json AS definition
      FROM counted
      WHERE ways > 1
      ORDER BY name, counted.definition
      LIMIT ${MAX_ROWS}::int`,
  });
}
