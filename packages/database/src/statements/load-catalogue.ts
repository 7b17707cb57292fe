import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { jsonObjectColumn } from '../rows/columns.ts';

const Row = z.object({
  kind: z.enum(['tool', 'prompt', 'resource']),
  name: z.string(),
  definition: jsonObjectColumn,
});
export type CatalogueRow = z.infer<typeof Row>;

/** 10,000: far beyond what a client can show, and a bound on what a defect can cost every API. */
const MAX_ENTRIES = 10_000;

/**
 * Reads what workers seen within `graceMs` milliseconds offer, by kind and name; where two workers announce
 * one name, the worker that started last wins. Locks nothing. Indexes: workers_heartbeat_at_idx,
 * catalogue_entries_pkey.
 *
 * @returns the definitions as they were announced
 */
export async function loadCatalogue(runner: SqlRunner, graceMs: number): Promise<CatalogueRow[]> {
  return runner.run({
    name: 'load-catalogue',
    row: Row,
    sql: Prisma.sql`
      SELECT DISTINCT ON (e.kind, e.name) e.kind, e.name, e.definition
      FROM workers AS w JOIN catalogue_entries AS e ON e.worker_id = w.id
      WHERE w.heartbeat_at > now() - ${graceMs}::float8 * interval '1 ms'
      ORDER BY e.kind, e.name, w.started_at DESC, w.id
      LIMIT ${MAX_ENTRIES}::int`,
  });
}
