import type { TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

export interface SlotRow {
  readonly key: string;
  readonly taskId: TaskId;
  readonly attempt: number;
}

/**
 * Notes under which limits claimed tasks run.
 *
 * The caller holds the keys' locks (lockSlots) since an earlier statement. Index: task_slots_pkey.
 *
 * @param slots each task once per key
 */
export async function takeSlots(runner: SqlRunner, slots: readonly SlotRow[]): Promise<void> {
  await runner.run({
    name: 'take-slots',
    row: z.unknown(),
    sql: Prisma.sql`
      INSERT INTO task_slots (key, task_id, attempt)
      SELECT key, task_id, attempt FROM unnest(
        ${slots.map(({ key }) => key)}::text[], ${slots.map(({ taskId }) => taskId)}::uuid[],
        ${slots.map(({ attempt }) => attempt)}::int[]
      ) AS i (key, task_id, attempt)
      ON CONFLICT (key, task_id) DO UPDATE SET attempt = excluded.attempt`,
  });
}
