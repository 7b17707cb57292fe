import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

/** Gives up a file that is being written. Index: task_files_pkey. */
export async function dropFile(runner: SqlRunner, key: string): Promise<void> {
  await runner.run({
    name: 'drop-file',
    row: z.unknown(),
    sql: Prisma.sql`
      UPDATE task_files SET state = 'unwanted', sweep_after = now()
      WHERE id = ${key}::uuid AND state = 'writing'`,
  });
}
