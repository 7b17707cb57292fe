/* Tasks by SQL, as the API makes them: more than clients could make in the time of a test. */

/** 200 tasks that run. */
export const BUSY = `
  INSERT INTO tasks (
    id, principal_id, auth_binding_id, era, request_method, request_id, listed, tool_name, arguments, queue, state, attempt,
    max_attempts, timeout_ms, progress, progress_total, claimed_by, lease_expires_at, enqueued_at, started_at)
  SELECT (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid,
    gen_random_uuid(), gen_random_uuid(), 'modern', 'tools/call', '1', true, 'busy', '{}', 'default', 'working', 1,
    3, 60000, 0, 100, gen_random_uuid(), now() + interval '1 h', now(), now()
  FROM generate_series(1, 200) AS n`;

/** By an index: there are many more. */
export const IS_BUSY = "tool_name = 'busy' AND finished_at IS NULL AND enqueued_at IS NOT NULL";

/** One of ten parts of 1,000,000 ended tasks of the past weeks, a second apart, as the API makes them and retention leaves them. One in a thousand has failed. */
export const CROWD = `
  INSERT INTO tasks (
    id, principal_id, auth_binding_id, era, request_method, request_id, listed, tool_name, arguments, queue, state,
    outcome_kind, attempt, max_attempts, timeout_ms, ttl_ms, created_at, enqueued_at, started_at, finished_at, pruned)
  SELECT (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint - n * 1000), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid,
    lpad(to_hex(n / 125000), 32, '0')::uuid, '00000000-0000-0000-0000-000000000001', 'modern', 'tools/call', '1', true,
    CASE WHEN n % 200000 = 0 THEN 'rare' ELSE 'crowd' END, '{}', 'default', 'finished',
    CASE WHEN n % 1000 = 1 THEN 'tool_error' ELSE 'result' END, 1, 3, 60000, 86400000, at, at, at, at, 3
  FROM (SELECT n, now() - n * interval '1 s' AS at FROM generate_series($1::int * 100000 + 100000, $1::int * 100000 + 1, -1) AS n) AS n`;
