import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { PrincipalId, SessionId, TaskId } from '@longshore/core';
import type { PoolRunner } from '../src/connection/pool-runner.ts';
import { cancelDescendants } from '../src/statements/cancel-descendants.ts';
import { cancelTask } from '../src/statements/cancel-task.ts';
import { claimTasks } from '../src/statements/claim-tasks.ts';
import { countWaitingTasks } from '../src/statements/count-waiting-tasks.ts';
import { deleteRequestCounts } from '../src/statements/delete-request-counts.ts';
import { deleteTasks } from '../src/statements/delete-tasks.ts';
import { failOverdueTasks } from '../src/statements/fail-overdue-tasks.ts';
import { findBackloggedQueues } from '../src/statements/find-backlogged-queues.ts';
import { findClaimWaits } from '../src/statements/find-claim-waits.ts';
import { findNewcomers } from '../src/statements/find-newcomers.ts';
import { findOutcomes } from '../src/statements/find-outcomes.ts';
import { findSameTask } from '../src/statements/find-same-task.ts';
import { findTasks } from '../src/statements/find-tasks.ts';
import { finishTasks } from '../src/statements/finish-tasks.ts';
import { forgetPrincipals } from '../src/statements/forget-principals.ts';
import { freeIdempotencyKey } from '../src/statements/free-idempotency-key.ts';
import { heartbeatTasks } from '../src/statements/heartbeat-tasks.ts';
import { listTasks } from '../src/statements/list-tasks.ts';
import { openFile } from '../src/statements/open-file.ts';
import { pickExpiredTasks } from '../src/statements/pick-expired-tasks.ts';
import { readHistory } from '../src/statements/read-history.ts';
import { readmitTasks } from '../src/statements/readmit-tasks.ts';
import { unadmitTasks } from '../src/statements/unadmit-tasks.ts';
import { PostgresFileRecords } from '../src/stores/postgres-file-records.ts';
import { PostgresTaskStore } from '../src/stores/postgres-task-store.ts';
import { createExplainRunner, type ExplainRunner } from './fixtures/explain-runner.ts';
import { newTaskId, newWorkerId } from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

/*
 * 100,000 tasks: 90,000 ended ones, 4,000 waiting, 5,000 enqueued, 1,000 running, of one busy owner (half of
 * them) and 1,000 others. Every statement must find its rows by an index and read about as many as it takes.
 */

let stores: TestStores;
let explainer: ExplainRunner;
const owner = randomUUID() as PrincipalId;
const sessionId = randomUUID() as SessionId;
const workerId = newWorkerId();
let running: TaskId[];
/** A task of the busy owner with 2,000 events. */
let talkative: TaskId;

beforeAll(async () => {
  stores = await openTestStores();
  await stores.sql(
    `INSERT INTO tasks (
       id, principal_id, auth_binding_id, session_id, era, request_method, request_id, listed, tool_name,
       arguments, queue, state, outcome_kind, attempt, lost, max_attempts, timeout_ms, claimed_by,
       lease_expires_at, execution_deadline, ttl_ms, expires_at, created_at, enqueued_at, finished_at,
       idempotency_key, arguments_hash)
     SELECT gen_random_uuid(), CASE WHEN n % 2 = 0 THEN $1::uuid ELSE md5((n % 1000)::text)::uuid END,
       gen_random_uuid(), $2, 'legacy', 'tools/call', n::text, n % 4 < 3, 'tool', '{}',
       CASE WHEN n % 3 = 0 THEN 'images' ELSE 'text' END,
       CASE WHEN n > 10000 THEN 'finished' ELSE 'working' END,
       CASE WHEN n > 10000 THEN 'result' END,
       CASE WHEN n <= 1000 THEN 1 ELSE 0 END, CASE WHEN n % 1000 = 0 THEN 2 ELSE 0 END, 3, 60000,
       CASE WHEN n <= 1000 THEN $3::uuid END,
       CASE WHEN n <= 1000 THEN now() + interval '1 minute' END,
       now() + (n - 50) * interval '1 s', 86400000, now() + (95000 - n) * interval '1 s',
       now() - n * interval '1 s',
       CASE WHEN n <= 6000 THEN now() - interval '1 hour' END,
       CASE WHEN n > 10000 THEN now() END, CASE WHEN n % 10 = 0 THEN n::text END,
       CASE WHEN n % 10 = 0 THEN '' END
     FROM generate_series(1, 100000) AS n`,
    [owner, sessionId, workerId],
  );
  await stores.sql(`INSERT INTO task_results SELECT id, '{}' FROM tasks WHERE state = 'finished'`);
  await stores.sql(`INSERT INTO task_events (task_id, kind) SELECT id, 'created' FROM tasks`);
  await stores.sql(
    `INSERT INTO request_counts SELECT gen_random_uuid(), n, now() + (n - 500) * interval '1 s'
     FROM generate_series(1, 10000) AS n`,
  );
  await stores.sql(
    `INSERT INTO task_files (id, task_id, principal_id, name, mime_type, attempt, state, size, sha256)
     SELECT gen_random_uuid(), gen_random_uuid(), CASE WHEN n % 10 = 0 THEN $1::uuid ELSE gen_random_uuid() END,
       'a', 'text/csv', 1, 'ready', n, '\\x00'
     FROM generate_series(1, 10000) AS n`,
    [owner],
  );
  await stores.sql('ANALYZE');
  const rows = await stores.sql<{ id: TaskId }>(
    `SELECT id FROM tasks WHERE claimed_by IS NOT NULL AND execution_deadline > now()
     ORDER BY principal_id = $1 AND listed DESC LIMIT 65`,
    [owner],
  );
  running = rows.map(({ id }) => id);
  talkative = running.pop() ?? newTaskId();
  await stores.sql(
    `INSERT INTO task_events (task_id, kind) SELECT $1, 'log' FROM generate_series(1, 1999)`,
    [talkative],
  );
  await stores.sql(
    `UPDATE tasks SET parent_task_id = $1 WHERE id = ANY (
       SELECT id FROM tasks WHERE finished_at IS NULL AND enqueued_at IS NULL LIMIT 32)`,
    [parent()],
  );
  explainer = createExplainRunner(stores.url);
});

afterAll(async () => {
  await explainer.close();
  await stores.drop();
});

const anEnqueued = async (): Promise<TaskId[]> =>
  (
    await stores.sql<{ id: TaskId }>(
      'SELECT id FROM tasks WHERE enqueued_at IS NOT NULL AND claimed_by IS NULL LIMIT 64',
    )
  ).map(({ id }) => id);

const parent = (): TaskId => running[0] ?? newTaskId();

type Case = [string, (runner: PoolRunner) => Promise<unknown>, string[], number];

const ownedByBusy = (id: TaskId) => ({ id, owner });

const BY_ID = 'tasks by tasks_pkey';
const HOLDER = 'workers by workers_pkey';
const SAME = { owner, toolName: 'tool' };
const KEYS = 'tasks by tasks_principal_id_tool_name_idempotency_key_key';
const BACKLOG = 'tasks by tasks_backlog_idx';
const report = { progress: { progress: 1, total: null, message: null }, statusMessage: 'on' };
const LATE_PAGE = { createdAt: new Date(Date.now() - 40_000_000), id: newTaskId() };

it.each<Case>([
  [
    'looking for principals that run nothing of a queue',
    (r) => findNewcomers(r, 'images', 20),
    ['tasks by tasks_enqueued_at_sweep_idx', 'tasks by tasks_parent_task_id_open_idx'],
    12_000,
  ],
  ['reading 64 tasks', (r) => findTasks(r, running.map(ownedByBusy)), [BY_ID], 64],
  [
    'reading 64 outcomes',
    (r) => findOutcomes(r, running.map(ownedByBusy)),
    [BY_ID, 'task_results by task_results_pkey'],
    128,
  ],
  [
    'looking for tasks that are gone',
    (r) => new PostgresFileRecords(r).withoutTask([...running, newTaskId()]),
    [BY_ID],
    65,
  ],
  [
    'the first page of a list',
    (r) => listTasks(r, owner, 50, null, null),
    ['tasks by tasks_owner_newest_idx'],
    50,
  ],
  [
    'a late page of a list',
    (r) => listTasks(r, owner, 50, LATE_PAGE, null),
    ['tasks by tasks_owner_newest_idx'],
    50,
  ],
  [
    'a page of the tasks that ended in one way',
    (r) => listTasks(r, owner, 50, LATE_PAGE, 'completed'),
    ['tasks by tasks_owner_newest_idx'],
    200,
  ],
  [
    'a page of open tasks',
    (r) => listTasks(r, owner, 50, null, 'working'),
    // Many of them are open: few are read until the page is full.
    ['tasks by tasks_owner_newest_idx'],
    1_000,
  ],
  [
    'cancel',
    (r) => cancelTask(r, { id: running[0] ?? newTaskId(), owner, listed: true }),
    [BY_ID, 'batches by batches_task_id_idx'],
    4,
  ],
  [
    'the latest 200 of the 2,000 events of a task',
    (r) => readHistory(r, talkative, owner, 200),
    [BY_ID, 'task_events by task_events_pkey', 'tasks by tasks_parent_task_id_open_idx'],
    201,
  ],
  [
    'the held call of a request',
    (r) => new PostgresTaskStore(r).cancelRequest(sessionId, owner, 7),
    ['tasks by tasks_session_id_request_id_held_idx'],
    1,
  ],
  [
    'claims of 64 tasks',
    async (r) =>
      claimTasks(
        r,
        (await anEnqueued()).map((id) => ({ id, workerId, leaseMs: 1 })),
        'unlimited',
      ),
    [BY_ID, HOLDER],
    64,
  ],
  [
    'cancelling the 32 tasks that one has started',
    (r) => cancelDescendants(r, parent(), null),
    ['tasks by tasks_parent_task_id_open_idx', BY_ID],
    200,
  ],
  ['why 64 claims failed', (r) => findClaimWaits(r, running), [BY_ID], 64],
  [
    'a heartbeat over 64 tasks',
    (r) =>
      heartbeatTasks(
        r,
        workerId,
        1,
        running.map((taskId) => ({ taskId, attempt: 1, ...report })),
      ),
    [BY_ID],
    64,
  ],
  [
    '64 finishes',
    (r) =>
      finishTasks(
        r,
        running.map((id) => ({
          id,
          attempt: 1,
          workerId,
          outcomeKind: 'result',
          payload: '{}',
          body: null,
          toolVersion: '1.0.0',
          ...report,
        })),
      ),
    [BY_ID],
    64,
  ],
  ['taking back 64', async (r) => unadmitTasks(r, await anEnqueued()), [BY_ID, HOLDER], 64],
  ['the queues with a backlog', findBackloggedQueues, [BACKLOG], 3],
  [
    'readmitting 100 past 1,000 running ones',
    (r) => readmitTasks(r, 60_000, 100),
    ['tasks by tasks_enqueued_at_sweep_idx', BY_ID],
    1_400,
  ],
  [
    'failing overdue tasks',
    (r) => failOverdueTasks(r, 3, 100),
    ['tasks by tasks_execution_deadline_open_idx', 'tasks by tasks_lost_open_idx', BY_ID, HOLDER],
    200,
  ],
  [
    'picking 500 expired tasks',
    (r) => pickExpiredTasks(r, 500),
    ['tasks by tasks_expires_at_idx'],
    500,
  ],
  ['the task of a key', (r) => findSameTask(r, { ...SAME, idempotencyKey: '50' }), [KEYS], 1],
  [
    'freeing the key of an expired task',
    (r) => freeIdempotencyKey(r, { ...SAME, idempotencyKey: '99990' }),
    [KEYS],
    1,
  ],
  [
    'counting 4,500 waiting tasks among 5,000 open ones',
    (r) => countWaitingTasks(r, owner, 100_000),
    ['tasks by tasks_principal_id_open_idx'],
    11_000,
  ],
  [
    'counting 10 of them',
    (r) => countWaitingTasks(r, owner, 10),
    ['tasks by tasks_principal_id_open_idx'],
    1_000,
  ],
  [
    'whether there is an open one',
    (r) => new PostgresTaskStore(r).hasOpen(owner),
    ['tasks by tasks_principal_id_open_idx'],
    10,
  ],
  [
    'deleting 100 counts of requests',
    (r) => deleteRequestCounts(r, 100),
    [
      'request_counts by request_counts_window_ends_at_idx',
      'request_counts by request_counts_pkey',
    ],
    200,
  ],
  [
    'opening a file of a principal with 1,000',
    (r) =>
      openFile(r, { taskId: parent(), attempt: 1, workerId }, { name: 'b', mimeType: 'text/csv' }),
    [BY_ID, 'task_files by task_files_principal_id_size_idx'],
    1_010,
  ],
  [
    'deleting 64 tasks',
    (r) => deleteTasks(r, running),
    [
      ...['tasks', 'task_events', 'task_results'].map((table) => `${table} by ${table}_pkey`),
      'task_slots by task_slots_task_id_idx',
      'task_files by task_files_task_id_idx',
    ],
    600,
  ],
])('%s uses its index and reads few rows', async (_name, call, scans, mostRows) => {
  const reading = await explainer.explain(call);
  expect([...reading.scans].toSorted()).toEqual(scans.toSorted());
  expect(reading.rowsRead).toBeLessThanOrEqual(mostRows);
  expect(reading.rowsRead).toBeGreaterThan(0);
});

it('looks up anonymous principals by indexes only', async () => {
  const reading = await explainer.explain((runner) => forgetPrincipals(runner, [owner]));
  expect(reading.scans).toContain('auth_contexts by auth_contexts_pkey');
  expect([...reading.scans].filter((scan) => scan.includes('Seq Scan'))).toEqual([]);
});
