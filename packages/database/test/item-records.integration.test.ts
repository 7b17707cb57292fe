import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type {
  BatchId,
  ItemOutcome,
  ItemPlace,
  ItemStatus,
  NewTask,
  PrincipalId,
  ReadItem,
  TaskId,
} from '@longshore/core';
import {
  accepted,
  alter,
  CHUNK_POLICY,
  claimed,
  fenceOf,
  newPrincipalId,
  newTaskId,
} from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

let stores: TestStores;

beforeAll(async () => {
  stores = await openTestStores();
});
afterAll(() => stores.drop());

const START: ItemPlace = { position: 0, offset: 0 };
const LIMITS = { bytes: 10_000, overheadBytes: 0 };

const failed = (offset: number): ItemOutcome => [offset, 2, null, { code: 'X', message: 'no' }];
const done = (offset: number): ItemOutcome => [offset, 1, offset];

interface Filled {
  readonly task: NewTask;
  readonly id: BatchId;
}

/**
 * A batch of chunks of three items; of each chunk the second fails, and the third one was never run where
 * the chunk's position is odd.
 */
async function aBatch(chunks: number, key = 'items'): Promise<Filled> {
  const task = await accepted(stores);
  await claimed(stores, task.id);
  return { task, id: await fill(task.id, chunks, key) };
}

async function fill(
  taskId: TaskId,
  chunks: number,
  key: string,
  sourceIndexes: readonly number[] = [],
): Promise<BatchId> {
  const id = randomUUID() as BatchId;
  await stores.batchStore.open(fenceOf(taskId, 1), id, key);
  for (let position = 0; position < chunks; position += 1) {
    await stores.batchStore.storeChunks(fenceOf(taskId, 1), {
      batchId: id,
      chunks: [
        {
          position,
          firstItem: position * 3,
          size: 3,
          items: JSON.stringify([{ n: position }, 'second', 3]),
          sourceIndexes,
          task: null,
        },
      ],
      storedChunks: position + 1,
      storedItems: (position + 1) * 3,
      sealed: position === chunks - 1,
      policy: CHUNK_POLICY,
    });
    // They come in any order, in several saves.
    const saves = [[failed(1)], position % 2 === 0 ? [done(2), done(0)] : [done(0)]];
    for (const [save, outcomes] of saves.entries()) {
      const through = saves.slice(0, save + 1).flat();
      const failures = through.filter((outcome) => outcome.length === 4).length;
      await stores.batchStore.save(fenceOf(taskId, 1), {
        batchId: id,
        position,
        save: save + 1,
        outcomes: JSON.stringify(outcomes),
        done: through.length - failures,
        failed: failures,
      });
    }
  }
  return id;
}

const readAll = async (
  { task, id }: Filled,
  status: ItemStatus,
  limits = LIMITS,
): Promise<{ items: ReadItem[]; slices: number }> => {
  const items: ReadItem[] = [];
  let slices = 0;
  for (let place: ItemPlace | null = START; place !== null; slices += 1) {
    const slice = await stores.itemRecords.items(
      task.id,
      task.principalId,
      id,
      status,
      place,
      limits,
    );
    if (slice === null) throw new Error('no batch');
    items.push(...slice.items);
    place = slice.next;
  }
  return { items, slices };
};

const indexes = (items: readonly ReadItem[]): number[] => items.map(([index]) => index);

describe('items of a batch', () => {
  let batch: Filled;
  beforeAll(async () => {
    batch = await aBatch(4);
  });

  it.each<[ItemStatus, number[]]>([
    ['all', [0, 1, 2, 3, 4, 6, 7, 8, 9, 10]],
    ['done', [0, 2, 3, 6, 8, 9]],
    ['failed', [1, 4, 7, 10]],
  ])('that are %s are read in order, however small the slices', async (status, expected) => {
    for (const bytes of [1, 25, 60, 100, 10_000]) {
      for (const overheadBytes of [0, 30]) {
        const { items } = await readAll(batch, status, { bytes, overheadBytes });
        expect([bytes, indexes(items)]).toEqual([bytes, expected]);
      }
    }
    const { items, slices } = await readAll(batch, status);
    expect(slices).toBe(1);
    expect(items[0]).toEqual(status === 'failed' ? [1, failed(1)] : [0, done(0)]);
  });

  it('are counted for their owner, of each batch by itself', async () => {
    const { task, id } = batch;
    const { id: taskId, principalId: owner } = task;
    const counts = (of: TaskId, by: PrincipalId) => stores.itemRecords.counts(of, by);
    const first = {
      id,
      key: 'items',
      items: 12,
      done: 6,
      failed: 4,
      stopped: false,
      toolName: null,
    };
    expect(await counts(taskId, owner)).toEqual({ isSettled: false, batches: [first] });
    const several = await aBatch(1, 'a');
    const second = await fill(several.task.id, 2, 'b');
    expect(await counts(several.task.id, several.task.principalId)).toMatchObject({
      batches: [
        { id: several.id, key: 'a', items: 3, done: 2, failed: 1 },
        { id: second, key: 'b', items: 6, done: 3, failed: 2 },
      ],
    });
    const without = await accepted(stores);
    expect(await counts(without.id, without.principalId)).toEqual({
      isSettled: false,
      batches: [],
    });
    expect(await counts(taskId, newPrincipalId())).toBeNull();
    expect(await counts(newTaskId(), owner)).toBeNull();
    expect(await counts('x' as TaskId, owner)).toBeNull();
  });

  it('fill a slice up to its bytes', async () => {
    const { task, id } = batch;
    const size = JSON.stringify(failed(1)).length + 7;
    for (const count of [1, 2, 3]) {
      for (const [bytes, expected] of [
        [size * count, count],
        [size * (count + 1) - 1, count],
      ] as const) {
        const limits = { bytes, overheadBytes: 7 };
        const slice = await stores.itemRecords.items(
          task.id,
          task.principalId,
          id,
          'failed',
          START,
          limits,
        );
        expect(slice?.items.length).toBe(expected);
      }
    }
  });

  it('go on behind chunks that have none of them', async () => {
    const many = await aBatch(2);
    await stores.sql(
      `INSERT INTO batch_chunks (batch_id, position, first_item, size, items)
       SELECT $1, n, n * 3, 3, '[1,2,3]' FROM generate_series(2, 1100) AS n`,
      [many.id],
    );
    await stores.sql(
      `UPDATE batch_chunks SET outcomes = ARRAY['[[0,1,5]]'::json], done = 1
       WHERE batch_id = $1 AND position = 1090`,
      [many.id],
    );
    const { items, slices } = await readAll(many, 'done');
    expect(indexes(items)).toEqual([0, 2, 3, 3_270]);
    expect(slices).toBe(6);
    expect((await readAll(many, 'failed')).slices).toBe(1);
  });

  it('that are tried again keep the index they had first', async () => {
    const task = await accepted(stores);
    await claimed(stores, task.id);
    const id = await fill(task.id, 1, 'items', [70, 80, 90]);
    const { items } = await readAll({ task, id }, 'all');
    expect(indexes(items)).toEqual([70, 80, 90]);
    const again = await stores.itemRecords.storedItems(task.id, task.principalId, id, false, 0);
    expect(again).toEqual({ items: [[80, 'second']], next: null });
  });

  it('that failed, or were not run, are read to be run again', async () => {
    const { task, id } = await aBatch(10);
    const read = async (withSkipped: boolean) => {
      const found: unknown[] = [];
      for (let position: number | null = 0; position !== null; ) {
        const stored = await stores.itemRecords.storedItems(
          task.id,
          task.principalId,
          id,
          withSkipped,
          position,
        );
        found.push(...(stored?.items ?? []));
        position = stored?.next ?? null;
      }
      return found;
    };
    expect(await read(false)).toEqual(
      Array.from({ length: 10 }, (_, chunk) => [chunk * 3 + 1, 'second']),
    );
    expect(await read(true)).toEqual(
      Array.from({ length: 10 }, (_, chunk) => [
        [chunk * 3 + 1, 'second'],
        ...(chunk % 2 === 0 ? [] : [[chunk * 3 + 2, 3]]),
      ]).flat(),
    );
  });
});

describe('batches of a task', () => {
  it('are told in their order, by key, and from one on', async () => {
    const { task, id: first } = await aBatch(1, 'one');
    const second = await fill(task.id, 1, 'two');
    await stores.sql(`UPDATE batches SET created_at = now() + interval '1 s' WHERE id = $1`, [
      second,
    ]);
    const read = (key: string | null, from: BatchId | null) =>
      stores.itemRecords.batches(task.id, task.principalId, key, from);
    const both = [
      { id: first, key: 'one' },
      { id: second, key: 'two' },
    ];
    expect(await read(null, null)).toEqual({
      isSettled: false,
      areSeveral: true,
      batches: both,
    });
    expect(await read(null, second)).toMatchObject({ batches: both.slice(1) });
    expect(await read('two', null)).toMatchObject({ areSeveral: false, batches: both.slice(1) });
    expect(await read('three', null)).toBeNull();
    expect(await read(null, randomUUID() as BatchId)).toBeNull();
    expect(await read(null, 'no id' as BatchId)).toBeNull();
  });

  it('are settled when nothing that runs their chunks is open', async () => {
    const { task } = await aBatch(1);
    const child = newTaskId();
    await stores.batchStore.startChild(fenceOf(task.id, 1), {
      ...CHUNK_POLICY,
      id: child,
      arguments: {},
    });
    const settled = async () =>
      (await stores.itemRecords.batches(task.id, task.principalId, null, null))?.isSettled;
    expect(await settled()).toBe(false);
    await alter(stores, task.id, "state = 'cancelled', finished_at = now()");
    expect(await settled()).toBe(false);
    await alter(stores, child, "state = 'cancelled', finished_at = now()");
    expect(await settled()).toBe(true);
  });

  it('say what ran their items', async () => {
    const { task, id } = await aBatch(1, 'in-place');
    const chunk = newTaskId();
    await stores.batchStore.open(fenceOf(task.id, 1), chunk as string as BatchId, 'named');
    await stores.batchStore.storeChunks(fenceOf(task.id, 1), {
      batchId: chunk as string as BatchId,
      chunks: [
        {
          position: 0,
          firstItem: 0,
          size: 1,
          items: '[1]',
          sourceIndexes: [],
          task: { id: chunk, arguments: { item: 'one' } },
        },
      ],
      storedChunks: 1,
      storedItems: 1,
      sealed: false,
      policy: CHUNK_POLICY,
    });
    await stores.sql(`UPDATE batches SET created_at = now() + interval '1 s' WHERE id = $1`, [
      chunk,
    ]);
    expect(await stores.itemRecords.batchTask(task.id, task.principalId)).toEqual({
      toolName: task.toolName,
      arguments: task.arguments,
      isSettled: false,
      hasEnded: false,
      batches: [
        { id, key: 'in-place', items: 3, sealed: true, target: null },
        {
          id: chunk,
          key: 'named',
          items: 1,
          sealed: false,
          target: { toolName: 'resize', arguments: { item: 'one' } },
        },
      ],
    });
    expect(await stores.itemRecords.counts(task.id, task.principalId)).toMatchObject({
      batches: [
        { key: 'in-place', toolName: null },
        { key: 'named', toolName: 'resize' },
      ],
    });
  });

  it.each<[string, (one: Filled) => Promise<{ id: TaskId; owner: PrincipalId }>]>([
    ['somebody else', async ({ task }) => ({ id: task.id, owner: newPrincipalId() })],
    [
      'anybody after its ttl',
      async ({ task }) => {
        await alter(stores, task.id, "expires_at = now() - interval '1 ms'");
        return { id: task.id, owner: task.principalId };
      },
    ],
    [
      'the owner of another task',
      async ({ task }) => ({ id: (await accepted(stores)).id, owner: task.principalId }),
    ],
  ])('are nothing to %s', async (_who, change) => {
    const batch = await aBatch(1);
    const { id, owner } = await change(batch);
    const { itemRecords } = stores;
    expect(await itemRecords.batches(id, owner, null, null)).toBeNull();
    expect(await itemRecords.items(id, owner, batch.id, 'all', START, LIMITS)).toBeNull();
    expect(await itemRecords.batchTask(id, owner)).toBeNull();
    expect(await itemRecords.storedItems(id, owner, batch.id, true, 0)).toBeNull();
  });
});
