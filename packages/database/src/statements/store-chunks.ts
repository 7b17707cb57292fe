import { CHUNK_METHOD, type Fence, type NewChunks } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { CHILD_COLUMNS, INHERITED } from '../rows/child-task.ts';
import { batchIdColumn } from '../rows/columns.ts';
import { lockHeld } from '../rows/open-task.ts';

const Row = z.object({ id: batchIdColumn });

/**
 * Stores chunks of a batch whose task the attempt holds, each with the task that runs it (left to the relay)
 * and its `created` event, and how far the batch is stored.
 *
 * Locks the rows of the task and of the batch (indexes tasks_pkey, batches_pkey). What is there already stays
 * as it is: so it may be said twice. Parts of a tool are run by the version that runs the tool.
 *
 * @returns false, with nothing stored, when the attempt no longer holds the task
 */
export async function storeChunks(
  runner: SqlRunner,
  fence: Fence,
  { batchId, chunks, storedChunks, storedItems, sealed, policy, traceContext }: NewChunks,
): Promise<boolean> {
  const rows = await runner.run({
    name: 'store-chunks',
    row: Row,
    sql: Prisma.sql`
      WITH held AS MATERIALIZED (${lockHeld(fence, Prisma.sql`t.*`)}), input AS MATERIALIZED (
        SELECT * FROM unnest(
          ${chunks.map(({ position }) => position)}::int[],
          ${chunks.map(({ firstItem }) => firstItem)}::int[], ${chunks.map(({ size }) => size)}::int[],
          ${chunks.map(({ items }) => items)}::json[],
          ${chunks.map(({ task }) => task?.id ?? null)}::uuid[],
          ${chunks.map(({ task }) => JSON.stringify(task?.arguments ?? {}))}::json[],
          ${chunks.map(({ sourceIndexes }) => `{${sourceIndexes.join(',')}}`)}::text[]
        ) AS i (position, first_item, size, items, task_id, arguments, source_indexes)
      ), chunk AS (
        INSERT INTO batch_chunks (batch_id, position, task_id, first_item, size, items, source_indexes)
        SELECT ${batchId}::uuid, i.position, i.task_id, i.first_item, i.size, i.items,
          i.source_indexes::int[]
        FROM held, input AS i
        ON CONFLICT (batch_id, position) DO NOTHING
      ), task AS (
        INSERT INTO tasks (
          id, request_method, tool_name, tool_fingerprint, arguments, queue, max_attempts, timeout_ms,
          tool_limit, lane, trace_context, ${CHILD_COLUMNS}
        )
        SELECT i.task_id, ${CHUNK_METHOD}, ${policy.toolName},
          CASE WHEN h.tool_name = ${policy.toolName} THEN h.tool_fingerprint END, i.arguments, ${policy.queue},
          ${policy.maxAttempts}::int, ${policy.timeoutMs}::float8, ${policy.toolLimit}::int,
          ${policy.toolLimit === null ? '' : policy.toolName}, ${traceContext ?? null}::text, ${INHERITED}
        FROM held AS h, input AS i WHERE i.task_id IS NOT NULL
        ON CONFLICT (id) DO NOTHING
        RETURNING id
      ), event AS (
        INSERT INTO task_events (task_id, kind) SELECT id, 'created' FROM task
      )
      UPDATE batches AS b
      SET chunks = greatest(b.chunks, ${storedChunks}::int), items = greatest(b.items, ${storedItems}::int),
        sealed = b.sealed OR ${sealed}
      FROM held WHERE b.id = ${batchId}::uuid
      RETURNING b.id`,
  });
  return rows.length > 0;
}
