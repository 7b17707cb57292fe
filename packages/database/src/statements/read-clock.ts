import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({ now: z.date() });

/** The time by the clock that decides. Reads no table. */
export async function readClock(runner: SqlRunner): Promise<Date> {
  const [row] = await runner.run({
    name: 'read-clock',
    row: Row,
    sql: Prisma.sql`SELECT now()::timestamptz(3) AS now`,
  });
  if (row === undefined) throw new Error('read-clock returned no row');
  return row.now;
}
