import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { PrincipalId, TaskId, TaskSearch } from '@longshore/core';
import type { PoolRunner } from '../src/connection/pool-runner.ts';
import { foldEnded } from '../src/statements/fold-ended.ts';
import { sampleQueues } from '../src/statements/sample-queues.ts';
import { PostgresOperatorStore } from '../src/stores/postgres-operator-store.ts';
import { createExplainRunner, type ExplainRunner } from './fixtures/explain-runner.ts';
import { newWorkerId } from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

/*
 * 1,000,000 tasks of the last 1,000,000 seconds, as the API makes them: all ended but for 2,000 admitted and 30,000 that wait, one
 * in a thousand failed. What a page reads must not grow with them.
 */

let stores: TestStores;
let explainer: ExplainRunner;
const owner = randomUUID() as PrincipalId;
const parent = randomUUID() as TaskId;
const workerId = newWorkerId();

beforeAll(async () => {
  stores = await openTestStores();
  await stores.sql(
    `INSERT INTO tasks (
       id, principal_id, auth_binding_id, era, request_method, request_id, listed, tool_name, arguments, queue, state,
       outcome_kind, attempt, max_attempts, timeout_ms, claimed_by, lease_expires_at, ttl_ms, created_at, enqueued_at,
       started_at, finished_at, parent_task_id)
     SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid,
       CASE WHEN n % 1000 = 0 THEN $1::uuid ELSE md5((n % 1000)::text)::uuid END,
       $1::uuid, 'modern', 'tools/call', '1', true, 'tool' || n % 10, '{}', 'queue' || n % 3,
       CASE WHEN n > 32000 THEN 'finished' ELSE 'working' END,
       CASE WHEN n > 32000 THEN CASE WHEN n % 1000 = 1 THEN 'tool_error' ELSE 'result' END END,
       1, 3, 60000, CASE WHEN n <= 1000 THEN $2::uuid END, CASE WHEN n <= 1000 THEN now() + interval '1 h' END,
       86400000, at, CASE WHEN n <= 2000 OR n > 32000 THEN at END, CASE WHEN n > 32000 THEN at END,
       CASE WHEN n > 32000 THEN at END, CASE WHEN n > 32000 AND n % 50 = 7 THEN $3::uuid END
     FROM (SELECT n, now() - n * interval '1 s' AS at FROM generate_series(1000000, 1, -1) AS n) AS n`,
    [owner, workerId, parent],
  );
  await stores.sql('ANALYZE tasks');
  explainer = createExplainRunner(stores.url);
  // A minute where the server is on a busy disk.
}, 240_000);

afterAll(async () => {
  await explainer.close();
  await stores.drop();
});

const ALL: TaskSearch = {
  owner: null,
  phases: null,
  tools: null,
  queues: null,
  worker: null,
  parent: null,
  createdAfter: null,
  createdBefore: null,
  text: null,
};
const after = { id: 'ffffffff-0000-7000-8000-000000000000' as TaskId, createdAt: new Date() };

const search =
  (wanted: Partial<TaskSearch>) =>
  async (runner: PoolRunner): Promise<unknown> =>
    new PostgresOperatorStore(runner).search({ ...ALL, ...wanted }, 50, after);

/** The most that one page looks at, and again to know where it ended. */
const LOOK = 41_000;

type Case = [string, (runner: PoolRunner) => Promise<unknown>, string, number];

it.each<Case>([
  // The runner returns no rows, so the edge is looked for, too: a whole look, of the index alone.
  ['a page', search({}), 'tasks_pkey', 21_000],
  ['a page of one tool', search({ tools: ['tool3'] }), 'tasks_pkey', 21_000],
  ['a page of a tool that nobody called', search({ tools: ['none'] }), 'tasks_pkey', LOOK],
  ['a page with a text', search({ text: 'nowhere' }), 'tasks_pkey', 9_000],
  ['what failed', search({ phases: ['failed'] }), 'tasks_failed_idx', 3_000],
  [
    'what failed of a tool',
    search({ phases: ['failed'], tools: ['tool1'] }),
    'tasks_failed_idx',
    3_000,
  ],
  ['what runs', search({ phases: ['running'] }), 'tasks_enqueued_at_sweep_idx', 5_000],
  [
    'what a worker has',
    search({ phases: ['running'], worker: workerId }),
    'tasks_enqueued_at_sweep_idx',
    5_000,
  ],
  ['an owner', search({ owner }), 'tasks_owner_newest_idx', 2_500],
  // The edge is looked for as well.
  ['what a task called', search({ parent }), 'tasks_called_idx', 21_000],
  [
    'a count',
    (runner) => new PostgresOperatorStore(runner).count({ ...ALL, tools: ['tool3'] }, 10_000),
    'tasks_pkey',
    LOOK,
  ],
  [
    'changes',
    (runner) => new PostgresOperatorStore(runner).changes(new Date(), null).catch(() => null),
    'tasks_enqueued_at_sweep_idx',
    5_000,
  ],
  [
    'workers',
    (runner) => new PostgresOperatorStore(runner).workers(),
    'tasks_enqueued_at_sweep_idx',
    5_000,
  ],
  ['a fold', (runner) => foldEnded(runner, new Date()), 'tasks_pruned_finished_at_idx', 45_000],
  ['a look at the queues', (runner) => sampleQueues(runner, 0), 'tasks_backlog_idx', 60_000],
])('%s reads a bounded number of rows by an index', async (_, call, index, mostRows) => {
  const { scans, rowsRead } = await explainer.explain(call);
  expect([...scans].filter((scan) => scan.startsWith('tasks by'))).toContain(`tasks by ${index}`);
  expect(
    [...scans].filter((scan) => scan.includes('Seq Scan') && scan.startsWith('tasks')),
  ).toEqual([]);
  expect(rowsRead).toBeLessThan(mostRows);
});
