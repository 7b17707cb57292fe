import type { InputAnswer, TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({ key: z.string() });

/**
 * Stores answers to questions that are still open, each with an event: `input_answered`, or
 * `input_timed_out` when nobody answered. A question of an earlier attempt takes its answer too: the next
 * one may ask it again.
 *
 * To be run after a lock of the task. Locks the questions in the order of their ids, as a stream may be
 * renewing its lease of them. Indexes: tasks_pkey, input_requests_task_id_key_key, input_requests_pkey.
 *
 * @returns the keys that were answered by this
 */
export async function answerInputs(
  runner: SqlRunner,
  taskId: TaskId,
  answers: ReadonlyMap<string, InputAnswer>,
): Promise<string[]> {
  const rows = await runner.run({
    name: 'answer-inputs',
    row: Row,
    sql: Prisma.sql`
      WITH open AS MATERIALIZED (
        SELECT r.id, i.kind, i.response
        FROM unnest(
          ${[...answers.keys()]}::text[], ${[...answers.values()].map(({ kind }) => kind)}::text[],
          ${[...answers.values()].map((answer) => JSON.stringify(answer))}::json[]
        ) AS i (key, kind, response)
        JOIN input_requests AS r ON r.task_id = ${taskId}::uuid AND r.key = i.key
        JOIN tasks AS t ON t.id = r.task_id
        WHERE t.finished_at IS NULL AND r.answered_at IS NULL
        ORDER BY r.id
        FOR NO KEY UPDATE OF r
      ), answered AS (
        UPDATE input_requests AS r
        SET response = open.response, answered_at = now(), stream_id = NULL, stream_lease_expires_at = NULL
        FROM open WHERE r.id = open.id
        RETURNING r.key, r.attempt, r.event_id, open.kind
      ), event AS (
        INSERT INTO task_events (task_id, kind, attempt, data)
        SELECT ${taskId}::uuid,
          CASE WHEN kind = 'timeout' THEN 'input_timed_out' ELSE 'input_answered' END,
          attempt, json_build_object('key', key)
        FROM answered ORDER BY event_id
      )
      SELECT key FROM answered`,
  });
  return rows.map(({ key }) => key);
}
