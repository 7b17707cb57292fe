import type { LogLevel, SessionId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

/** Notes what a session wants logged. Locks the one row. @returns false when there is no such session */
export async function setLogLevel(
  runner: SqlRunner,
  id: SessionId,
  level: LogLevel,
): Promise<boolean> {
  const rows = await runner.run({
    name: 'set-log-level',
    row: z.object({ id: z.string() }),
    sql: Prisma.sql`
      UPDATE sessions SET log_level = ${level} WHERE id = ${id}::uuid RETURNING id`,
  });
  return rows.length > 0;
}
