import type { SessionId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

/** Takes a URI out of a session's subscriptions. Locks the one row (index sessions_pkey). */
export async function unsubscribeResource(
  runner: SqlRunner,
  id: SessionId,
  uri: string,
): Promise<void> {
  await runner.run({
    name: 'unsubscribe-resource',
    row: z.unknown(),
    sql: Prisma.sql`
      UPDATE sessions SET resource_subscriptions = array_remove(resource_subscriptions, ${uri})
      WHERE id = ${id}::uuid`,
  });
}
