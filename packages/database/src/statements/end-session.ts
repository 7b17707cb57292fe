import type { PrincipalId, SessionId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { principalIdColumn } from '../rows/columns.ts';

const Row = z.object({ principal_id: principalIdColumn });

/**
 * Deletes a session. Locks the one row (index sessions_pkey); of two at once the second finds nothing.
 *
 * @returns its principal, null when it was unknown or ended already
 */
export async function endSession(runner: SqlRunner, id: SessionId): Promise<PrincipalId | null> {
  const [row] = await runner.run({
    name: 'end-session',
    row: Row,
    sql: Prisma.sql`DELETE FROM sessions WHERE id = ${id}::uuid RETURNING principal_id`,
  });
  return row?.principal_id ?? null;
}
