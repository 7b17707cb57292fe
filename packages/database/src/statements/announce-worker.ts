import type { WorkerAnnouncement } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { catalogueEntries } from '../rows/catalogue-entry.ts';

/**
 * Stores a worker with what it offers, in place of what it announced before: one statement, so readers see
 * all of the old or all of the new.
 *
 * Locks the worker's row, then its entries' (indexes workers_pkey, catalogue_entries_pkey). A worker that is
 * announced again keeps its start time.
 */
export async function announceWorker(runner: SqlRunner, worker: WorkerAnnouncement): Promise<void> {
  const entries = catalogueEntries(worker);
  const kinds = entries.map(({ kind }) => kind);
  const names = entries.map(({ name }) => name);
  const definitions = entries.map(({ definition }) => definition);
  const cards = worker.cards.map(({ uri }) => uri);
  const fingerprints = entries.map(({ fingerprint }) => fingerprint);
  await runner.run({
    name: 'announce-worker',
    row: z.unknown(),
    sql: Prisma.sql`
      WITH announced AS (
        INSERT INTO workers (id, host, pid, version, queues, concurrency, lease_ms,
          cards)
        VALUES (${worker.id}::uuid, ${worker.host}, ${worker.pid}::int, ${worker.version},
          ${worker.queues}::text[], ${worker.concurrency}::int, ${worker.leaseMs}::int,
          ${cards}::text[])
        ON CONFLICT (id) DO UPDATE SET
          host = excluded.host, pid = excluded.pid, version = excluded.version,
          queues = excluded.queues, concurrency = excluded.concurrency, lease_ms = excluded.lease_ms,
          cards = excluded.cards, heartbeat_at = now()
        RETURNING id
      ), withdrawn AS (
        DELETE FROM catalogue_entries AS e USING announced
        WHERE e.worker_id = announced.id AND NOT EXISTS (
          SELECT FROM unnest(${kinds}::text[], ${names}::text[]) AS i (kind, name)
          WHERE i.kind = e.kind AND i.name = e.name)
      )
      INSERT INTO catalogue_entries (worker_id, kind, name, definition, fingerprint)
      SELECT announced.id, i.kind, i.name, i.definition, i.fingerprint
      FROM announced, unnest(${kinds}::text[], ${names}::text[], ${definitions}::json[],
        ${fingerprints}::text[]) AS i (kind, name, definition, fingerprint)
      ON CONFLICT (worker_id, kind, name) DO UPDATE
        SET definition = excluded.definition, fingerprint = excluded.fingerprint`,
  });
}
