import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { BatchId, PrincipalId, TaskId } from '@longshore/core';
import type { SqlRunner } from '../src/connection/sql-runner.ts';
import { findBatches } from '../src/statements/find-batches.ts';
import { readItems } from '../src/statements/read-items.ts';
import { readStoredItems } from '../src/statements/read-stored-items.ts';
import { createExplainRunner, type ExplainRunner } from './fixtures/explain-runner.ts';
import { accepted } from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

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
    readItems(runner, { ...place, status, from: { position: at(place), offset: 0 }, limits: PAGE });
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
