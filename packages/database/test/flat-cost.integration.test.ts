import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BatchId, PrincipalId, TaskId } from '@longshore/core';
import type { SqlRunner } from '../src/connection/sql-runner.ts';
import { admitTasks } from '../src/statements/admit-tasks.ts';
import { claimTasks } from '../src/statements/claim-tasks.ts';
import { countSlots } from '../src/statements/count-slots.ts';
import { deleteTasks } from '../src/statements/delete-tasks.ts';
import { failOverdueTasks } from '../src/statements/fail-overdue-tasks.ts';
import { findBackloggedQueues } from '../src/statements/find-backlogged-queues.ts';
import { findBatches } from '../src/statements/find-batches.ts';
import { findOutcomes } from '../src/statements/find-outcomes.ts';
import { findTasks } from '../src/statements/find-tasks.ts';
import { finishTasks } from '../src/statements/finish-tasks.ts';
import { listTasks } from '../src/statements/list-tasks.ts';
import { pickExpiredTasks } from '../src/statements/pick-expired-tasks.ts';
import { pruneEvents } from '../src/statements/prune-events.ts';
import { pruneResults } from '../src/statements/prune-results.ts';
import { readItems } from '../src/statements/read-items.ts';
import { readQueueLoad } from '../src/statements/read-queue-load.ts';
import { readStoredItems } from '../src/statements/read-stored-items.ts';
import { readmitTasks } from '../src/statements/readmit-tasks.ts';
import { createExplainRunner, type ExplainRunner } from './fixtures/explain-runner.ts';
import { accepted, newWorkerId } from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

describe('tasks', () => {
  /*
   * The same work in a small and in a large database: 1,000 tasks and 100,000. Half of them wait, all of one
   * principal but for ten; nearly all others have ended, half of them past their ttl. What runs and what is
   * enqueued does not grow with the table, as the workers and the queue's window do not.
   */

  const SMALL = 1_000;
  const LARGE = 100_000;
  const BATCH = 20;
  /** And a page for each row, as trees of 100 times as many entries may be a level higher. */
  const MOST_MORE = 1.5;

  /** A small table is reached in cheaper ways than its key. The large one costs a probe per row: four pages at most. */
  const WAYS_OF_THE_SMALL = new Set(['counting slots', 'deleting expired tasks']);

  interface Place {
    readonly stores: TestStores;
    readonly explainer: ExplainRunner;
    readonly owner: PrincipalId;
    readonly enqueued: readonly TaskId[];
    readonly running: readonly TaskId[];
    readonly ended: readonly TaskId[];
    readonly middle: { readonly createdAt: Date; readonly id: TaskId };
  }

  const workerId = newWorkerId();
  let places: Record<'small' | 'large', Place>;

  beforeAll(async () => {
    places = { small: await seeded(SMALL), large: await seeded(LARGE) };
  }, 60_000);

  afterAll(async () => {
    for (const { explainer, stores } of Object.values(places)) {
      await explainer.close();
      await stores.drop();
    }
  });

  async function seeded(count: number): Promise<Place> {
    const stores = await openTestStores();
    const owner = randomUUID() as PrincipalId;
    await stores.sql(
      `INSERT INTO tasks (
       id, principal_id, auth_binding_id, era, request_method, request_id, listed, tool_name, arguments, queue,
       state, outcome_kind, attempt, max_attempts, timeout_ms, claimed_by, lease_expires_at, execution_deadline,
       ttl_ms, expires_at, created_at, enqueued_at, finished_at)
     SELECT gen_random_uuid(), CASE WHEN n <= 10 THEN md5(n::text)::uuid ELSE $1::uuid END,
       gen_random_uuid(), 'modern', 'tools/call', n::text, true, 'tool', '{}', 'work',
       CASE WHEN is_open THEN 'working' ELSE 'finished' END,
       CASE WHEN is_open THEN NULL ELSE 'result' END,
       (runs OR NOT is_open)::int, 3, 60000, CASE WHEN runs THEN $2::uuid END,
       CASE WHEN runs THEN now() + interval '1 hour' END,
       CASE WHEN is_open THEN now() + (n - 30) * interval '1 s' - interval '1 hour' * (n > 10 AND n <= 40)::int END,
       86400000, now() + CASE WHEN NOT is_open AND n % 2 = 0 THEN -1 ELSE 1 END * (n + 60) * interval '1 hour',
       now() - n * interval '1 s',
       CASE WHEN is_open AND n > 40 AND n <= 160 THEN now() - interval '1 hour' END,
       CASE WHEN is_open THEN NULL ELSE now() - n * interval '1 s' END
     FROM (SELECT n, n <= $3::int / 2 AS is_open, n > 40 AND n <= 80 AS runs FROM generate_series(1, $3::int) AS n) AS s`,
      [owner, workerId, count],
    );
    await stores.sql(
      `INSERT INTO task_results SELECT id, '{}' FROM tasks WHERE state = 'finished'`,
    );
    await stores.sql(
      `INSERT INTO task_events (task_id, kind)
     SELECT id, kind FROM tasks, unnest('{created,started,log,finished}'::text[]) AS kind`,
    );
    await stores.sql(
      `INSERT INTO task_slots SELECT 'principal:' || principal_id, id, 1 FROM tasks WHERE claimed_by IS NOT NULL`,
    );
    await stores.sql('VACUUM ANALYZE');
    const ids = async (condition: string): Promise<TaskId[]> =>
      (
        await stores.sql<{ id: TaskId }>(
          `SELECT id FROM tasks WHERE ${condition} ORDER BY created_at LIMIT ${BATCH}`,
        )
      ).map(({ id }) => id);
    const [middle] = await stores.sql<{ id: TaskId; createdAt: Date }>(
      `SELECT id, created_at AS "createdAt" FROM tasks WHERE principal_id = $1
     ORDER BY created_at DESC OFFSET $2 LIMIT 1`,
      [owner, Math.floor(count / 2)],
    );
    if (middle === undefined) throw new Error('no task in the middle');
    return {
      stores,
      owner,
      middle,
      explainer: createExplainRunner(stores.url),
      enqueued: await ids('enqueued_at IS NOT NULL AND claimed_by IS NULL'),
      running: await ids('claimed_by IS NOT NULL'),
      ended: await ids(`state = 'finished' AND expires_at < now()`),
    };
  }

  type Case = [string, (runner: SqlRunner, place: Place) => Promise<unknown>];

  it.each<Case>([
    [
      'claiming',
      (r, { enqueued }) =>
        claimTasks(
          r,
          enqueued.map((id) => ({ id, workerId, leaseMs: 1 })),
          'unlimited',
        ),
    ],
    ['counting slots', (r, { owner }) => countSlots(r, [`principal:${owner}`])],
    [
      'finishing',
      (r, { running }) =>
        finishTasks(
          r,
          running.map((id) => ({
            id,
            attempt: 1,
            workerId,
            outcomeKind: 'result',
            toolVersion: null,
            payload: '{}',
            body: null,
            progress: null,
            statusMessage: null,
          })),
        ),
    ],
    [
      'reading tasks',
      (r, { running, owner }) =>
        findTasks(
          r,
          running.map((id) => ({ id, owner })),
        ),
    ],
    [
      'reading outcomes',
      (r, { ended, owner }) =>
        findOutcomes(
          r,
          ended.map((id) => ({ id, owner })),
        ),
    ],
    ['the first page of a list', (r, { owner }) => listTasks(r, owner, BATCH, null, null)],
    ['a page in the middle', (r, { owner, middle }) => listTasks(r, owner, BATCH, middle, null)],
    ['the queues with a backlog', (r) => findBackloggedQueues(r)],
    ['the load of a queue', (r) => readQueueLoad(r, 'work', 1_000)],
    [
      'admitting by turns',
      (r) => admitTasks(r, { queue: 'work', room: BATCH, limit: 500, startAt: randomUUID() }),
    ],
    ['sweeping', (r) => readmitTasks(r, 60_000, BATCH)],
    ['failing overdue tasks', (r) => failOverdueTasks(r, 3, BATCH)],
    ['finding expired tasks', (r) => pickExpiredTasks(r, BATCH)],
    ['deleting expired tasks', (r, { ended }) => deleteTasks(r, ended)],
    ['pruning histories', (r) => pruneEvents(r, 60_000, BATCH)],
    ['pruning results', (r) => pruneResults(r, 60_000, BATCH)],
  ])('%s costs the same in a hundred times as large a database', async (name, call) => {
    const read = ({ explainer }: Place, place: Place) =>
      explainer.explain((runner) => call(runner, place));
    const small = await read(places.small, places.small);
    const large = await read(places.large, places.large);
    expect([...large.scans].filter((scan) => / by Seq Scan$/.test(scan) && !isSmall(scan))).toEqual(
      [],
    );
    expect(small.rowsRead).toBeGreaterThan(0);
    expect(large.rowsRead).toBeLessThanOrEqual(small.rowsRead * MOST_MORE);
    const most = WAYS_OF_THE_SMALL.has(name) ? large.rowsRead * 4 : small.pages * MOST_MORE + BATCH;
    expect(large.pages).toBeLessThanOrEqual(most);
  });

  /** Tables that do not grow with the tasks. */
  const isSmall = (scan: string): boolean => /^(workers|task_slots) by/.test(scan);

  it('admits by turns from a hundred thousand waiting tasks by the backlog, past none of them', async () => {
    const { explainer } = places.large;
    const reading = await explainer.explain((runner) =>
      admitTasks(runner, { queue: 'work', room: BATCH, limit: 500, startAt: randomUUID() }),
    );
    expect(reading.scans).toContain('tasks by tasks_backlog_idx');
    expect([...reading.scans].filter((scan) => scan.endsWith(' by Seq Scan'))).toEqual([]);
    expect(reading.rowsRead).toBeLessThan(400);
  });
});

describe('items', () => {
  /*
   * The same page of a small and of a large batch, 1,000 items and 100,000, in one database. Chunks have five items; of every
   * other chunk one item failed. Pages begin at the first chunk and in the middle.
   */

  const SMALL = 1_000;
  const LARGE = 100_000;
  const CHUNK = 5;
  const EVERY = 2;
  const PAGE = { bytes: 400, overheadBytes: 0 };
  /** And a page for each look into an index, as a tree of 100 times as many entries may be a level higher. */
  const MOST_MORE = 1.5;
  const LEVELS = 20;

  interface Place {
    readonly taskId: TaskId;
    readonly owner: PrincipalId;
    readonly batchId: BatchId;
    readonly middle: number;
  }

  let stores: TestStores;
  let explainer: ExplainRunner;
  let places: Record<'small' | 'large', Place>;

  beforeAll(async () => {
    stores = await openTestStores();
    places = { small: await seeded(SMALL), large: await seeded(LARGE) };
    await stores.sql(
      `INSERT INTO tasks SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid()))).*
     FROM tasks AS t, generate_series(1, 2000)`,
    );
    await stores.sql('VACUUM ANALYZE');
    explainer = createExplainRunner(stores.url);
  }, 60_000);

  afterAll(async () => {
    await explainer.close();
    await stores.drop();
  });

  async function seeded(items: number): Promise<Place> {
    const { id: taskId, principalId: owner } = await accepted(stores);
    const batchId = randomUUID() as BatchId;
    const chunks = items / CHUNK;
    await stores.sql(
      `INSERT INTO batches (id, task_id, key, chunks, items, sealed) VALUES ($1, $2, 'items', $3, $4, true)`,
      [batchId, taskId, chunks, items],
    );
    await stores.sql(
      `INSERT INTO batch_chunks (batch_id, position, first_item, size, items, outcomes, done, failed)
     SELECT $1, n, n * $3::int, $3, to_json(array_fill('x'::text, ARRAY[$3::int])),
       ARRAY[(SELECT json_agg(CASE WHEN n % $4::int = 0 AND o = 0
         THEN json_build_array(o, 1, NULL, json_build_object('code', 'X', 'message', 'it failed'))
         ELSE json_build_array(o, 1, o) END) FROM generate_series(0, $3::int - 1) AS o)],
       CASE WHEN n % $4::int = 0 THEN $3 - 1 ELSE $3 END, CASE WHEN n % $4::int = 0 THEN 1 ELSE 0 END
     FROM generate_series(0, $2::int - 1) AS n`,
      [batchId, chunks, CHUNK, EVERY],
    );
    return { taskId, owner, batchId, middle: Math.floor(chunks / 2) };
  }

  type Case = [string, (runner: SqlRunner, place: Place) => Promise<unknown>, string[]];

  const page =
    (status: 'all' | 'failed', at: (place: Place) => number): Case[1] =>
    (runner, place) =>
      readItems(runner, {
        ...place,
        status,
        from: { position: at(place), offset: 0 },
        limits: PAGE,
      });
  const first = (): number => 0;
  const middle = (place: Place): number => place.middle;

  const FAILURES = 'batch_chunks by batch_chunks_batch_id_position_failed_idx';
  const CHUNKS = 'batch_chunks by batch_chunks_pkey';
  const OWNED = ['batches by batches_pkey', 'tasks by tasks_pkey'];

  it.each<Case>([
    ['a page of failed items', page('failed', first), [FAILURES, CHUNKS, ...OWNED]],
    ['a page of failed items in the middle', page('failed', middle), [FAILURES, CHUNKS, ...OWNED]],
    [
      'a page of failed items to be run again',
      (runner, place) =>
        readStoredItems(runner, { ...place, withSkipped: false, position: place.middle }),
      [FAILURES, ...OWNED],
    ],
    [
      'what batches there are',
      (runner, place) => findBatches(runner, { ...place, key: null, from: null, limit: 2 }),
      [
        'batches by batches_task_id_idx',
        'tasks by tasks_pkey',
        'tasks by tasks_parent_task_id_open_idx',
      ],
    ],
  ])('%s costs the same in a hundred times as large a batch', async (_name, call, scans) => {
    const small = await explainer.explain((runner) => call(runner, places.small));
    const large = await explainer.explain((runner) => call(runner, places.large));
    expect([...large.scans].toSorted()).toEqual(scans.toSorted());
    expect(small.rowsRead).toBeGreaterThan(0);
    expect(large.rowsRead).toBeLessThanOrEqual(small.rowsRead * MOST_MORE);
    expect(large.pages).toBeLessThanOrEqual(small.pages * MOST_MORE + LEVELS);
  });
});
