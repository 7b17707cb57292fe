import type { SessionId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

/**
 * Adds a URI to a session's subscriptions, once. Locks the one row (index sessions_pkey).
 *
 * @returns false when there is no such session, or it has `limit` subscriptions already
 */
export async function subscribeResource(
  runner: SqlRunner,
  id: SessionId,
  uri: string,
  limit: number,
): Promise<boolean> {
  const rows = await runner.run({
    name: 'subscribe-resource',
    row: z.object({ id: z.string() }),
    sql: Prisma.sql`
      UPDATE sessions
      SET resource_subscriptions = array_append(array_remove(resource_subscriptions, ${uri}), ${uri})
      WHERE id = ${id}::uuid
        AND (${uri} = ANY (resource_subscriptions)
          OR cardinality(resource_subscriptions) < ${limit}::int)
      RETURNING id`,
  });
  return rows.length > 0;
}
