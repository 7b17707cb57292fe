import type { Fence, InputQuestion } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { answerColumn } from '../rows/input-row.ts';

const Row = z.object({
  key: z.string(),
  /** Null: the question is new. */
  is_same: z.boolean().nullable(),
  response: answerColumn.nullable(),
});
export type AskedRow = z.infer<typeof Row>;

/**
 * Stores the questions of an attempt, each new one with its `input_asked` event, and takes over those an
 * earlier attempt asked in the same words. The task waits for input unless all of them have answers.
 *
 * To be run after `lockAttempt`. Locks the questions it takes over in the order of their ids. Indexes:
 * input_requests_task_id_key_key, input_requests_pkey, tasks_pkey. Events are numbered in the order of
 * `questions` and name key and method only: what is asked may be private and is in one place.
 *
 * @param questions each key once
 */
export async function askInputs(
  runner: SqlRunner,
  { taskId, attempt }: Fence,
  questions: readonly InputQuestion[],
): Promise<AskedRow[]> {
  return runner.run({
    name: 'ask-inputs',
    row: Row,
    sql: Prisma.sql`
      WITH input AS MATERIALIZED (
        SELECT i.*, r.id AS known_id, r.response,
          r.method = i.method AND r.params::text = i.params::text AS is_same
        FROM unnest(
          ${questions.map(({ key }) => key)}::text[], ${questions.map(({ method }) => method)}::text[],
          ${questions.map(({ params }) => JSON.stringify(params))}::json[]
        ) WITH ORDINALITY AS i (key, method, params, position)
        LEFT JOIN input_requests AS r ON r.task_id = ${taskId}::uuid AND r.key = i.key
      ), event AS (
        INSERT INTO task_events (task_id, kind, attempt, data)
        SELECT ${taskId}::uuid, 'input_asked', ${attempt}::int,
          json_build_object('key', key, 'method', method)
        FROM input WHERE known_id IS NULL
        ORDER BY position
        RETURNING id, data ->> 'key' AS key
      ), asked AS (
        INSERT INTO input_requests (id, task_id, key, method, params, attempt, event_id)
        SELECT gen_random_uuid(), ${taskId}::uuid, key, method, params, ${attempt}::int, event.id
        FROM input JOIN event USING (key)
        RETURNING key
      ), waiting AS MATERIALIZED (
        SELECT r.id FROM input AS i JOIN input_requests AS r ON r.id = i.known_id
        WHERE i.is_same AND r.answered_at IS NULL
        ORDER BY r.id
        FOR NO KEY UPDATE OF r
      ), taken_over AS (
        UPDATE input_requests AS r SET attempt = ${attempt}::int
        FROM waiting WHERE r.id = waiting.id
        RETURNING r.key
      ), task AS (
        UPDATE tasks AS t SET state = 'input_required', updated_at = now()
        WHERE t.id = ${taskId}::uuid
          AND (EXISTS (SELECT FROM asked) OR EXISTS (SELECT FROM taken_over))
      )
      SELECT key, is_same, response FROM input`,
  });
}
