import type { BatchId, PrincipalId, TaskId } from '@longshore/core';
import { Prisma } from '../generated/client.ts';
import { IS_ALIVE } from './open-task.ts';

/** FROM and WHERE: the task `t` of a call, within its ttl, of its owner. Calls without a handle count too. */
export const OWNED_CALL = (taskId: TaskId, owner: PrincipalId): Prisma.Sql => Prisma.sql`
  FROM tasks AS t
  WHERE t.id = ${taskId}::uuid AND t.principal_id = ${owner}::uuid AND ${IS_ALIVE}
    AND t.request_method = 'tools/call'`;

/** WITH: `batch`, a row with the batch's id when it is one of a task that OWNED_CALL finds. */
export const OWNED_BATCH = (
  taskId: TaskId,
  owner: PrincipalId,
  batchId: BatchId,
): Prisma.Sql => Prisma.sql`
  task AS MATERIALIZED (
    SELECT t.id ${OWNED_CALL(taskId, owner)}
  ), batch AS MATERIALIZED (
    SELECT b.id FROM task JOIN batches AS b ON b.id = ${batchId}::uuid AND b.task_id = task.id
  )`;

/**
 * Whether the items of task `t` are as they will stay. A task that ends takes those with it that run its
 * chunks; until the last of them has, it may still save. Index: tasks_parent_task_id_open_idx.
 */
export const IS_SETTLED = Prisma.sql`
  t.finished_at IS NOT NULL AND NOT EXISTS (
    SELECT FROM tasks AS child WHERE child.parent_task_id = t.id AND child.finished_at IS NULL
  )`;
