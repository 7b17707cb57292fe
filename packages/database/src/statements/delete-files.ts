import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

/** Forgets files whose bytes are gone, unless one was kept after all. Index: task_files_pkey. */
export async function deleteFiles(runner: SqlRunner, ids: readonly string[]): Promise<void> {
  await runner.run({
    name: 'delete-files',
    row: z.unknown(),
    sql: Prisma.sql`DELETE FROM task_files WHERE id = ANY (${ids}::uuid[]) AND state <> 'ready'`,
  });
}
