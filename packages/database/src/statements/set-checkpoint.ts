import type { Fence } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { taskIdColumn } from '../rows/columns.ts';
import { lockHeld } from '../rows/open-task.ts';

export interface CheckpointInput {
  readonly fence: Fence;
  readonly key: string;
  /** JSON text. */
  readonly value: string;
}

const Row = z.object({ task_id: taskIdColumn });

/**
 * Stores a checkpoint of a task that the attempt still holds.
 *
 * Locks the task's row first (index tasks_pkey), so that no later attempt can start before this is written,
 * then the checkpoint's row.
 *
 * @returns false, with nothing written, when the attempt no longer holds the task
 */
export async function setCheckpoint(runner: SqlRunner, input: CheckpointInput): Promise<boolean> {
  const rows = await runner.run({
    name: 'set-checkpoint',
    row: Row,
    sql: Prisma.sql`
      WITH held AS MATERIALIZED (${lockHeld(input.fence)})
      INSERT INTO task_checkpoints AS c (task_id, key, value, attempt)
      SELECT id, ${input.key}, ${input.value}::json, ${input.fence.attempt}::int FROM held
      ON CONFLICT (task_id, key) DO UPDATE
      SET value = excluded.value, attempt = excluded.attempt, updated_at = now()
      RETURNING c.task_id`,
  });
  return rows.length > 0;
}
