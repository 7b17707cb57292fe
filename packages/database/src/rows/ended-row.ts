import type { EndedTask } from '@longshore/core';
import * as z from 'zod';
import { Prisma } from '../generated/client.ts';
import { sessionIdColumn, taskIdColumn, workerIdColumn } from './columns.ts';

/** Who is to be told that a task `t` ends: its session, and the worker whose lease lasts. And what it was. */
export const ENDED_COLUMNS = Prisma.sql`
  t.id, t.session_id, CASE WHEN t.lease_expires_at > now() THEN t.claimed_by END AS worker_id,
  t.tool_name, t.queue`;

export const EndedRow = z.object({
  id: taskIdColumn,
  session_id: sessionIdColumn.nullable(),
  worker_id: workerIdColumn.nullable(),
  tool_name: z.string(),
  queue: z.string(),
});

export function toEndedTask(row: z.infer<typeof EndedRow>): EndedTask {
  return {
    id: row.id,
    sessionId: row.session_id,
    workerId: row.worker_id,
    toolName: row.tool_name,
    queue: row.queue,
  };
}
