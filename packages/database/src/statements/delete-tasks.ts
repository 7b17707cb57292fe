import type { TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

/**
 * Deletes tasks with all that belongs to them. The caller holds locks on the tasks since an earlier
 * statement of the same transaction: so this statement's snapshot has every event and result there will
 * ever be. Checkpoints and input requests go by their foreign keys. Slots that a claim is freeing at the moment
 * are left to it. Files are given up: their rows go once their bytes are gone, those that are being written
 * not before their worker has noticed.
 *
 * Indexes: tasks_pkey, task_results_pkey, task_events_pkey, task_slots_task_id_idx, task_files_task_id_idx.
 */
export async function deleteTasks(runner: SqlRunner, ids: readonly TaskId[]): Promise<void> {
  await runner.run({
    name: 'delete-tasks',
    row: z.unknown(),
    sql: Prisma.sql`
      WITH event AS (
        DELETE FROM task_events WHERE task_id = ANY (${ids}::uuid[])
      ), result AS (
        DELETE FROM task_results WHERE task_id = ANY (${ids}::uuid[])
      ), slot AS (
        DELETE FROM task_slots AS s USING (
          SELECT key, task_id FROM task_slots WHERE task_id = ANY (${ids}::uuid[])
          FOR UPDATE SKIP LOCKED) AS d
        WHERE s.key = d.key AND s.task_id = d.task_id
      ), file AS (
        UPDATE task_files
        SET state = 'unwanted',
            sweep_after = CASE state WHEN 'ready' THEN now() ELSE greatest(sweep_after, now()) END
        WHERE task_id = ANY (${ids}::uuid[]) AND state <> 'unwanted'
      )
      DELETE FROM tasks WHERE id = ANY (${ids}::uuid[])`,
  });
}
