import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type {
  Fence,
  InputRequestId,
  PrincipalId,
  SessionId,
  TaskId,
  WorkerId,
} from '@longshore/core';
import type { PoolRunner } from '../src/connection/pool-runner.ts';
import { answerInputs } from '../src/statements/answer-inputs.ts';
import { appendLogs } from '../src/statements/append-logs.ts';
import { askInputs } from '../src/statements/ask-inputs.ts';
import { ensureBinding } from '../src/statements/ensure-binding.ts';
import { evictSessions } from '../src/statements/evict-sessions.ts';
import { findCancelledTasks } from '../src/statements/find-cancelled-tasks.ts';
import { findChangedTasks } from '../src/statements/find-changed-tasks.ts';
import { findInput } from '../src/statements/find-input.ts';
import { findLoggedTasks } from '../src/statements/find-logged-tasks.ts';
import { findPendingInputs } from '../src/statements/find-pending-inputs.ts';
import { findToolVersions } from '../src/statements/find-tool-versions.ts';
import { leaseInputs } from '../src/statements/lease-inputs.ts';
import { loadCatalogue } from '../src/statements/load-catalogue.ts';
import { lockAttempt } from '../src/statements/lock-attempt.ts';
import { lockOwnedTask } from '../src/statements/lock-owned-task.ts';
import { promoteTask } from '../src/statements/promote-task.ts';
import { readLogs } from '../src/statements/read-logs.ts';
import { renewInputLeases } from '../src/statements/renew-input-leases.ts';
import { setRemoteTask } from '../src/statements/set-remote-task.ts';
import { settleInputs } from '../src/statements/settle-inputs.ts';
import { subscribeResource } from '../src/statements/subscribe-resource.ts';
import { touchSessions } from '../src/statements/touch-sessions.ts';
import { unleaseInputs } from '../src/statements/unlease-inputs.ts';
import { PostgresAttemptStore } from '../src/stores/postgres-attempt-store.ts';
import { PostgresSessionStore } from '../src/stores/postgres-session-store.ts';
import {
  createExplainRunner,
  type ExplainRunner,
  type Reading,
} from './fixtures/explain-runner.ts';
import { question, reply } from './fixtures/question-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

/*
 * 20,000 tasks of one owner with two questions each, 2,000 of which wait for their answers on a stream of
 * their own; one of these tasks with 5,000 answered ones and with 1,000 messages between 1,000 other events;
 * 5,000 sessions; 50 workers with 100 entries each, five of them alive. Every statement must find its rows by an index and read about as many
 * as it takes.
 */

let stores: TestStores;
let explainer: ExplainRunner;
const owner = randomUUID() as PrincipalId;
const sessionId = randomUUID() as SessionId;
const streamId = randomUUID();
let taskId: TaskId;
let fence: Fence;
let inputId: InputRequestId;
let lateEvent: string;
let sessionOwner: PrincipalId;

beforeAll(async () => {
  stores = await openTestStores();
  await stores.sql(
    `INSERT INTO tasks (
       id, principal_id, auth_binding_id, session_id, era, request_method, request_id, listed, tool_name,
       arguments, queue, state, outcome_kind, attempt, max_attempts, timeout_ms, claimed_by,
       lease_expires_at, expires_at, created_at, updated_at, finished_at)
     SELECT gen_random_uuid(), $1, gen_random_uuid(), $2, 'legacy', 'tools/call', n::text, n <> 1, 'tool',
       '{}', 'q', CASE WHEN n > 1000 THEN 'finished' ELSE 'input_required' END,
       CASE WHEN n > 1000 THEN 'result' END, 1, 3, 60000,
       CASE WHEN n <= 1000 THEN gen_random_uuid() END,
       CASE WHEN n <= 1000 THEN now() + interval '1 minute' END, now() + interval '1 day',
       now() - n * interval '1 s', now() - n * interval '1 s', CASE WHEN n > 1000 THEN now() END
     FROM generate_series(1, 20000) AS n`,
    [owner, sessionId],
  );
  await stores.sql(
    `INSERT INTO input_requests (id, task_id, key, method, params, attempt, event_id, response, answered_at,
       stream_id, stream_lease_expires_at)
     SELECT gen_random_uuid(), t.id, 'q' || n, 'elicitation/create', '{}', 1, n,
       CASE WHEN t.finished_at IS NOT NULL THEN '{"kind":"timeout"}'::json END, t.finished_at,
       CASE WHEN t.finished_at IS NULL THEN t.claimed_by END, t.lease_expires_at
     FROM tasks AS t, generate_series(1, 2) AS n`,
  );
  const [task] = await stores.sql<{ id: TaskId; workerId: WorkerId }>(
    'SELECT id, claimed_by AS "workerId" FROM tasks WHERE NOT listed',
  );
  if (task === undefined) throw new Error('one is not listed');
  taskId = task.id;
  fence = { taskId, attempt: 1, workerId: task.workerId };
  await stores.sql('UPDATE input_requests SET stream_id = $1 WHERE task_id = $2', [
    streamId,
    taskId,
  ]);
  const [input] = await stores.sql<{ id: InputRequestId }>(
    'SELECT id FROM input_requests WHERE task_id = $1',
    [taskId],
  );
  await stores.sql(
    `INSERT INTO input_requests (id, task_id, key, method, params, attempt, event_id, response, answered_at)
     SELECT gen_random_uuid(), $1, 'answered-' || n, 'sampling/createMessage', '{}', 1, n,
       '{"kind":"timeout"}', now() FROM generate_series(1, 5000) AS n`,
    [taskId],
  );
  if (input === undefined) throw new Error('it has questions');
  inputId = input.id;
  await stores.sql(
    `INSERT INTO task_events (task_id, kind, data)
     SELECT $1, CASE WHEN n % 2 = 0 THEN 'log' ELSE 'started' END,
       '{"level":"info","logger":null,"data":"x"}' FROM generate_series(1, 2000) AS n`,
    [taskId],
  );
  const [late] = await stores.sql<{ id: string }>(
    'SELECT (max(id) - 20)::text AS id FROM task_events WHERE task_id = $1',
    [taskId],
  );
  lateEvent = late?.id ?? '';
  await stores.sql(`INSERT INTO task_events (task_id, kind) SELECT id, 'created' FROM tasks`);
  await stores.sql(
    `WITH context AS (
       INSERT INTO auth_contexts (id, kind, subject)
       SELECT gen_random_uuid(), 'anonymous_session', n::text FROM generate_series(1, 5000) AS n
       RETURNING id
     ), binding AS (
       INSERT INTO auth_bindings (id, auth_context_id, method, scopes)
       SELECT gen_random_uuid(), id, 'anonymous_session', '{}' FROM context
       RETURNING id, auth_context_id
     )
     INSERT INTO sessions (id, principal_id, auth_binding_id, protocol_version, client_info,
       client_capabilities)
     SELECT gen_random_uuid(), auth_context_id, id, '2025-11-25', '{}', '{}' FROM binding`,
  );
  const [oneSession] = await stores.sql<{ principal_id: PrincipalId }>(
    'SELECT principal_id FROM sessions LIMIT 1',
  );
  sessionOwner = oneSession?.principal_id ?? owner;
  await stores.sql(
    `WITH worker AS (
       INSERT INTO workers (id, host, pid, version, queues, concurrency, heartbeat_at)
       SELECT gen_random_uuid(), 'h', n, '1', '{}', 1,
         now() - CASE WHEN n <= 5 THEN interval '0' ELSE interval '1 hour' END
       FROM generate_series(1, 50) AS n
       RETURNING id
     )
     INSERT INTO catalogue_entries (worker_id, kind, name, definition)
     SELECT id, 'tool', n::text, '{}' FROM worker, generate_series(1, 100) AS n`,
  );
  await stores.sql('VACUUM ANALYZE');
  explainer = createExplainRunner(stores.url);
});

afterAll(async () => {
  await explainer.close();
  await stores.drop();
});

type Case = [string, (runner: PoolRunner) => Promise<unknown>, string[], number];

const TASK = 'tasks_pkey';
const BY_KEY = 'input_requests_task_id_key_key';
const OPEN = 'input_requests_task_id_event_id_open_idx';
const BY_ID = 'input_requests_pkey';
const EVENTS = 'task_events_pkey';
const SESSION = 'sessions_pkey';
const answers = new Map([
  ['q1', reply('x')],
  ['q2', reply('y')],
]);
const remote = { taskId: 'remote', status: 'working', pollIntervalMs: 1 } as const;
const lease = { leaseMs: 1, streamId };
const log = { level: 'info', logger: null, data: 'x' } as const;

const indexesOf = ({ scans }: Reading): string[] =>
  [...scans].map((scan) => scan.replace(/^.* by /, '')).toSorted();

/** Statements that always return a row return none when they are only explained. */
const anyhow = async (call: Promise<unknown>): Promise<unknown> => call.catch(() => null);

it.each<Case>([
  ['locking an attempt', (r) => lockAttempt(r, fence), [TASK], 1],
  ['locking a task', (r) => lockOwnedTask(r, taskId, owner), [TASK], 1],
  [
    'asking again, another, and a new one',
    (r) => askInputs(r, fence, [question('q1', { params: {} }), question('q2'), question('q3')]),
    [BY_KEY, BY_ID, TASK],
    12,
  ],
  ['answering', (r) => answerInputs(r, taskId, answers), [BY_KEY, TASK, BY_ID], 12],
  ['settling', (r) => anyhow(settleInputs(r, taskId)), [TASK, OPEN], 12],
  ['the pending questions', (r) => findPendingInputs(r, taskId, owner), [TASK, OPEN], 8],
  ['one question', (r) => findInput(r, inputId, owner), [BY_ID, TASK], 2],
  [
    'the answers',
    (r) => new PostgresAttemptStore(r).readAnswers(taskId, ['q1', 'q2']),
    [BY_KEY],
    6,
  ],
  ['leasing', (r) => leaseInputs(r, { ...lease, taskId, owner }), [TASK, OPEN, BY_ID], 12],
  [
    'renewing leases',
    (r) => anyhow(renewInputLeases(r, [{ taskId, owner, streamId }], 1_000)),
    [TASK, OPEN, BY_ID],
    14,
  ],
  [
    'giving leases back',
    (r) => unleaseInputs(r, streamId),
    ['input_requests_stream_id_open_idx', BY_ID],
    4,
  ],
  ["noting a client's task", (r) => setRemoteTask(r, inputId, owner, remote), [BY_ID, TASK], 2],
  [
    "making room among a principal's sessions",
    (r) => anyhow(evictSessions(r, sessionOwner, 1)),
    ['auth_bindings_auth_context_id_idx', 'sessions_auth_binding_id_idx', SESSION],
    12,
  ],
  ['noting that sessions are in use', (r) => touchSessions(r, [sessionId]), [SESSION], 2],
  ['keeping messages', (r) => appendLogs(r, fence, [log, log]), [TASK], 1],
  [
    'the latest messages of many',
    (r) => readLogs(r, [{ id: taskId, owner, after: lateEvent, limit: 100 }]),
    [TASK, EVENTS],
    50,
  ],
  [
    'whether there are messages',
    (r) => findLoggedTasks(r, [{ id: taskId, owner, after: lateEvent }]),
    [TASK, EVENTS],
    50,
  ],
  [
    'changed tasks',
    (r) => findChangedTasks(r, sessionId, owner, new Date(0), 100),
    ['tasks_owner_newest_idx'],
    1_000,
  ],
  ['giving a handle', (r) => promoteTask(r, taskId, owner, 'maker'), [TASK], 1],
  [
    'whether a task was cancelled',
    (r) => findCancelledTasks(r, [{ taskId, attempt: 1 }]),
    [TASK],
    1,
  ],
  [
    'a log level',
    (r) => new PostgresSessionStore(r).setLogLevel(randomUUID() as SessionId, 'info'),
    [SESSION],
    1,
  ],
  ['a subscription', (r) => subscribeResource(r, randomUUID() as SessionId, 'x:', 9), [SESSION], 1],
])('%s uses its indexes and reads few rows', async (_name, call, scans, mostRows) => {
  const reading = await explainer.explain(call);
  expect(indexesOf(reading)).toEqual(scans.toSorted());
  expect(reading.rowsRead).toBeLessThanOrEqual(mostRows);
});

it('finds the binding of a principal by its index', async () => {
  const [row] = await stores.sql<{ id: PrincipalId }>('SELECT id FROM auth_contexts LIMIT 1');
  if (row === undefined) throw new Error('there are principals');
  const reading = await explainer.explain((r) =>
    anyhow(ensureBinding(r, row.id, 'anonymous_session')),
  );
  expect(indexesOf(reading)).toEqual(['auth_bindings_auth_context_id_idx']);
});

it('reads the entries of the workers that are alive, and no others', async () => {
  const reading = await explainer.explain((runner) => loadCatalogue(runner, 60_000));
  expect(reading.rowsRead).toBeLessThanOrEqual(1_010);
});

it('compares the entries of the workers that are alive, and no others', async () => {
  const reading = await explainer.explain((runner) => findToolVersions(runner, 60_000));
  expect(reading.rowsRead).toBeLessThanOrEqual(1_010);
});
