import type { Fence, FileFacts, OpenedFile } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { lockHeld } from '../rows/open-task.ts';

/**
 * An hour: when to look after a file that is being written. Much longer than any lease, so a worker that was
 * given up has noticed it by then, and no byte comes after the row is gone.
 */
const SWEEP_AFTER = Prisma.sql`now() + interval '1 hour'`;

const Row = z.object({ id: z.string(), kept_bytes: z.coerce.number() });

/**
 * Notes a file whose bytes are about to come, for a task that the attempt still holds. Locks the task's row
 * first (index tasks_pkey), so that no later attempt can start before this is written.
 *
 * What all files of the task's principal take by now is summed from task_files_principal_id_size_idx alone.
 *
 * @returns null, with nothing written, when the attempt no longer holds the task
 */
export async function openFile(
  runner: SqlRunner,
  fence: Fence,
  { name, mimeType }: FileFacts,
): Promise<OpenedFile | null> {
  const [row] = await runner.run({
    name: 'open-file',
    row: Row,
    sql: Prisma.sql`
      WITH held AS MATERIALIZED (${lockHeld(fence, Prisma.sql`t.id, t.principal_id`)})
      INSERT INTO task_files (id, task_id, principal_id, name, mime_type, attempt, state, sweep_after)
      SELECT gen_random_uuid(), id, principal_id, ${name}, ${mimeType}, ${fence.attempt}::int, 'writing', ${SWEEP_AFTER}
      FROM held
      RETURNING id, (
        SELECT coalesce(sum(k.size), 0) FROM task_files AS k
        WHERE k.principal_id = task_files.principal_id AND k.state = 'ready'
      ) AS kept_bytes`,
  });
  return row === undefined ? null : { key: row.id, keptBytes: row.kept_bytes };
}
