import type { PrincipalId, SessionId, TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { taskIdColumn } from '../rows/columns.ts';

const Row = z.object({ id: taskIdColumn });

export interface HeldCall {
  readonly sessionId: SessionId;
  readonly owner: PrincipalId;
  /** The JSON-RPC id as JSON text. */
  readonly requestId: string;
}

/**
 * Finds the open call without a handle that a session's request started; the latest one when a client used
 * an id twice. Locks nothing. Index: tasks_session_id_request_id_held_idx.
 */
export async function findHeldCall(runner: SqlRunner, call: HeldCall): Promise<TaskId | null> {
  const [row] = await runner.run({
    name: 'find-held-call',
    row: Row,
    sql: Prisma.sql`
      SELECT id FROM tasks
      WHERE session_id = ${call.sessionId}::uuid AND request_id = ${call.requestId}
        AND principal_id = ${call.owner}::uuid AND finished_at IS NULL AND NOT listed
      ORDER BY created_at DESC
      LIMIT 1`,
  });
  return row?.id ?? null;
}
