import type pg from 'pg';

/** Tasks of each owner. */
const EACH = 100;
const CHUNK = 100_000;

/**
 * Stores tasks that have ended, with result and history, over the last month: `kept` for another one, or `expired`.
 * Their ids are random, as in real life, and each owner's are all over the table.
 */
export async function seed(
  client: pg.Client,
  tasks: number,
  kind: 'kept' | 'expired',
): Promise<void> {
  await client.query('SET synchronous_commit = off');
  for (let done = 0; done < tasks; done += CHUNK) {
    await client.query(
      `WITH task AS (
        INSERT INTO tasks (
          id, principal_id, auth_binding_id, era, request_method, request_id, listed, tool_name, arguments,
          queue, state, outcome_kind, attempt, max_attempts, timeout_ms, ttl_ms, expires_at,
          created_at, updated_at, enqueued_at, started_at, finished_at)
        SELECT gen_random_uuid(), md5((n % $3)::text)::uuid, gen_random_uuid(), 'legacy', 'tools/call', '1', true,
          'seeded', json_build_object('text', repeat('x', 64), 'n', n), 'default', 'finished', 'result', 1, 1,
          60000, 5184000000, at + interval '1 ms' * $5, at, at, at, at, at
        FROM (
          SELECT n, now() - interval '30 days' * (1 - n::float8 / $4) AS at
          FROM generate_series($1::int, $2::int - 1) AS n) AS row
        RETURNING id, created_at
      ), result AS (
        INSERT INTO task_results (task_id, payload, created_at)
        SELECT id, '{"content":[{"type":"text","text":"done"}]}', created_at FROM task
      )
      INSERT INTO task_events (task_id, kind, attempt, created_at)
      SELECT id, kind, 1, created_at FROM task, unnest(ARRAY['created', 'started', 'finished']) AS kind`,
      [
        done,
        Math.min(done + CHUNK, tasks),
        Math.ceil(tasks / EACH),
        tasks,
        kind === 'kept' ? 5_184_000_000 : 0,
      ],
    );
  }
}
