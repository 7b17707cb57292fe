import type { PrincipalId, RequestWindow } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { principalIdColumn } from '../rows/columns.ts';

const WINDOW_MS = 60_000;

const Row = z.object({
  principal_id: principalIdColumn,
  requests: z.number(),
  ends_in_ms: z.number(),
});

/**
 * Adds to the requests of principals. A window that has ended begins anew, by the database's clock.
 *
 * Locks the rows, in the order of their ids, so that two processes do not wait for each other. Index:
 * request_counts_pkey, one probe each. The table is unlogged: the commit waits for no disk.
 *
 * @param requests by principal
 */
export async function countRequests(
  runner: SqlRunner,
  requests: ReadonlyMap<PrincipalId, number>,
): Promise<Map<PrincipalId, RequestWindow>> {
  const rows = await runner.run({
    name: 'count-requests',
    row: Row,
    sql: Prisma.sql`
      INSERT INTO request_counts AS c (principal_id, requests, window_ends_at)
      SELECT i.principal_id, i.requests, now() + ${WINDOW_MS}::float8 * interval '1 ms'
      FROM unnest(${[...requests.keys()]}::uuid[], ${[...requests.values()]}::bigint[])
        AS i (principal_id, requests)
      ORDER BY i.principal_id
      ON CONFLICT (principal_id) DO UPDATE SET
        requests = CASE WHEN c.window_ends_at > now() THEN c.requests + excluded.requests
          ELSE excluded.requests END,
        window_ends_at = CASE WHEN c.window_ends_at > now() THEN c.window_ends_at
          ELSE excluded.window_ends_at END
      RETURNING c.principal_id, c.requests::float8 AS requests,
        (extract(epoch FROM c.window_ends_at - now()) * 1000)::float8 AS ends_in_ms`,
  });
  return new Map(
    rows.map(({ principal_id, requests: counted, ends_in_ms }) => [
      principal_id,
      { requests: counted, endsInMs: ends_in_ms },
    ]),
  );
}
