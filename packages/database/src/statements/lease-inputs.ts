import type { PendingInput, PrincipalId, TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { INPUT_COLUMNS, InputRow, IS_PENDING, toPendingInput } from '../rows/input-row.ts';
import { IS_ALIVE } from '../rows/open-task.ts';

const Row = InputRow.extend({ is_new: z.boolean() });

export interface InputLease {
  readonly taskId: TaskId;
  readonly owner: PrincipalId;
  readonly streamId: string;
  readonly leaseMs: number;
}

/**
 * Gives a task's pending questions to a stream, unless another one has them.
 *
 * Locks the questions it takes in the order of their ids (indexes tasks_pkey,
 * input_requests_task_id_event_id_open_idx, input_requests_pkey). Of two streams that come at once the second waits
 * for the first and then finds the questions taken; after an answer it finds them gone.
 *
 * @returns those the stream did not have before, in the order they were asked
 */
export async function leaseInputs(runner: SqlRunner, lease: InputLease): Promise<PendingInput[]> {
  const rows = await runner.run({
    name: 'lease-inputs',
    row: Row,
    sql: Prisma.sql`
      WITH target AS MATERIALIZED (
        SELECT r.id, r.stream_id IS DISTINCT FROM ${lease.streamId}::uuid AS is_new
        FROM tasks AS t JOIN input_requests AS r ON ${IS_PENDING}
        WHERE t.id = ${lease.taskId}::uuid AND t.principal_id = ${lease.owner}::uuid AND ${IS_ALIVE}
          AND (r.stream_id IS NULL OR r.stream_id = ${lease.streamId}::uuid
            OR r.stream_lease_expires_at <= now())
        ORDER BY r.id
        FOR NO KEY UPDATE OF r
      ), leased AS (
        UPDATE input_requests AS r
        SET stream_id = ${lease.streamId}::uuid,
            stream_lease_expires_at = now() + ${lease.leaseMs}::float8 * interval '1 ms'
        FROM target WHERE r.id = target.id
        RETURNING r.*, target.is_new
      )
      SELECT ${INPUT_COLUMNS}, r.is_new FROM leased AS r ORDER BY r.event_id`,
  });
  return rows.filter((row) => row.is_new).map(toPendingInput);
}
