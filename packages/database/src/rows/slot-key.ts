import type { PrincipalId } from '@longshore/core';
import * as z from 'zod';
import { Prisma } from '../generated/client.ts';
import { principalIdColumn, taskIdColumn } from './columns.ts';

/** What a claim needs to know of a task that runs under limits. */
export const LimitedTaskRow = z.object({
  id: taskIdColumn,
  principal_id: principalIdColumn,
  tool_name: z.string(),
  queue: z.string(),
  principal_limit: z.number().nullable(),
  tool_limit: z.number().nullable(),
  queue_limit: z.number().nullable(),
});
export type LimitedTaskRow = z.infer<typeof LimitedTaskRow>;

/** A limit on what runs at once, as `task_slots.key` names it. */
export interface SlotLimit {
  readonly key: string;
  readonly limit: number;
}

/** The limits a task runs under. The statements build the same keys of the same columns. */
export function slotLimits(row: LimitedTaskRow): SlotLimit[] {
  const limits: SlotLimit[] = [];
  if (row.principal_limit !== null) {
    limits.push({ key: principalSlot(row.principal_id), limit: row.principal_limit });
  }
  if (row.tool_limit !== null) limits.push({ key: `tool:${row.tool_name}`, limit: row.tool_limit });
  if (row.queue_limit !== null) limits.push({ key: `queue:${row.queue}`, limit: row.queue_limit });
  return limits;
}

const principalSlot = (id: PrincipalId): string => `principal:${id}`;

/** Whether the attempt that took slot `s` still runs, by its task `r`: claimed, not ended, within its lease. */
export const IS_SLOT_TAKEN = Prisma.sql`
  r.attempt = s.attempt AND r.claimed_by IS NOT NULL AND r.finished_at IS NULL
  AND r.lease_expires_at > now() AND (r.expires_at > now()) IS NOT FALSE`;

/**
 * Tasks that run under the limit of this key. Index: task_slots_pkey and one probe of tasks_pkey for each row,
 * which are about as many as the limit allows.
 */
export const takenSlots = (key: Prisma.Sql): Prisma.Sql => Prisma.sql`
  (SELECT count(*)::int FROM task_slots AS s JOIN tasks AS r ON r.id = s.task_id
   WHERE s.key = ${key} AND ${IS_SLOT_TAKEN})`;
