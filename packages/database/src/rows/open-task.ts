import type { Fence } from '@longshore/core';
import { Prisma } from '../generated/client.ts';

/*
 * Conditions on a task called `t`. `IS NOT FALSE` lets null pass, which stands for "no limit": no lease, no
 * retry time, no ttl, no deadline.
 */

/** Within its ttl. Past it a task does not exist for anybody, deleted or not. */
export const IS_ALIVE = Prisma.sql`(t.expires_at > now()) IS NOT FALSE`;

/** May still be worked on: not ended, within its ttl and before its execution deadline. */
export const IS_RUNNABLE = Prisma.sql`
  t.finished_at IS NULL AND ${IS_ALIVE} AND (t.execution_deadline > now()) IS NOT FALSE`;

/** Nobody holds it, and its retry, if any, is due. */
export const IS_FREE = Prisma.sql`
  (t.lease_expires_at <= now()) IS NOT FALSE AND (t.run_after <= now()) IS NOT FALSE`;

/** In the backlog: accepted, and nobody has added its job. Index: tasks_backlog_idx. */
export const IS_BACKLOG = Prisma.sql`t.finished_at IS NULL AND t.enqueued_at IS NULL`;

/** Its job waits for a worker; one that waits for its retry does not count. Index: tasks_admitted_idx. */
export const IS_WAITING_FOR_WORKER = Prisma.sql`
  t.finished_at IS NULL AND t.enqueued_at IS NOT NULL AND t.run_after IS NULL AND t.claimed_by IS NULL
  AND ${IS_ALIVE} AND (t.execution_deadline > now()) IS NOT FALSE`;

/** Runs under no limit, so that claiming it has to count nothing. */
export const IS_UNLIMITED = Prisma.sql`(t.principal_limit, t.tool_limit, t.queue_limit) IS NULL`;

/** This attempt of this worker has the task: claimed, and neither ended nor given back. */
export const isHeldBy = (attempt: Prisma.Sql, workerId: Prisma.Sql): Prisma.Sql => Prisma.sql`
  t.attempt = ${attempt} AND t.claimed_by = ${workerId} AND t.finished_at IS NULL`;

/** The same, for one attempt. */
export const isHeldWith = ({ attempt, workerId }: Omit<Fence, 'taskId'>): Prisma.Sql =>
  isHeldBy(Prisma.sql`${attempt}::int`, Prisma.sql`${workerId}::uuid`);

/**
 * The task that an attempt has, locked until the statement that writes for it is through; no row when the attempt has it
 * no more. Index: tasks_pkey.
 */
export const lockHeld = (
  fence: Fence,
  columns: Prisma.Sql = Prisma.sql`t.id`,
): Prisma.Sql => Prisma.sql`
  SELECT ${columns} FROM tasks AS t
  WHERE t.id = ${fence.taskId}::uuid AND ${isHeldWith(fence)}
  FOR NO KEY UPDATE`;

/**
 * The worker that has the task lives: it was seen half a lease before the end of the task's, or later. A worker that runs
 * the task would have renewed it, so the attempt has never begun: its claim was answered too late, or to nobody.
 * One that died was seen three quarters of a lease before that end at the latest. Index: workers_pkey.
 */
export const HOLDER_LIVES = Prisma.sql`
  EXISTS (SELECT FROM workers AS w WHERE w.id = t.claimed_by
    AND w.heartbeat_at > t.lease_expires_at - w.lease_ms * interval '0.5 ms')`;

/** SET clause: the input `i` brings progress, and progress never goes down. */
export const SET_PROGRESS = Prisma.sql`
  progress = CASE WHEN i.progress > coalesce(t.progress, '-infinity') THEN i.progress ELSE t.progress END,
  progress_total = CASE WHEN i.progress > coalesce(t.progress, '-infinity')
    THEN i.progress_total ELSE t.progress_total END,
  progress_message = CASE WHEN i.progress > coalesce(t.progress, '-infinity')
    THEN i.progress_message ELSE t.progress_message END`;

/** SET clause: nobody runs it. */
export const SET_UNCLAIMED = Prisma.sql`claimed_by = NULL, lease_expires_at = NULL`;
