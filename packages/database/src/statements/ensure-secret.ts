import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({ value: z.string() });

/** Stores a secret unless there is one of this name. Locks the one row. @returns the stored one */
export async function ensureSecret(
  runner: SqlRunner,
  name: string,
  candidate: string,
): Promise<string> {
  const [row] = await runner.run({
    name: 'ensure-secret',
    row: Row,
    sql: Prisma.sql`
      INSERT INTO server_secrets AS s (name, value) VALUES (${name}, ${candidate})
      ON CONFLICT (name) DO UPDATE SET name = excluded.name
      RETURNING s.value`,
  });
  if (row === undefined) throw new Error('ensure-secret returned no row');
  return row.value;
}
