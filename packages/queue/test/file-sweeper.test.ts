import { expect, it } from '@jest/globals';
import { LongshoreError, silentLogger } from '@longshore/core';
import { describeService } from '@longshore/testing/suites';
import { FileSweeper } from '../src/index.ts';

/** Files that are due, and what was done with them. */
function sweptFiles(
  keys: readonly string[],
  broken: readonly string[] = [],
  onDelete: () => void = () => {},
) {
  const due = [...keys];
  const deleted: string[] = [];
  const forgotten: string[] = [];
  const sweeper = new FileSweeper({
    records: {
      pickUnwanted: async (limit) => due.splice(0, limit),
      forget: async (gone) => {
        forgotten.push(...gone);
      },
    },
    store: {
      delete: async (key) => {
        onDelete();
        if (broken.includes(key)) throw new LongshoreError('FILE_STORE_UNAVAILABLE', `no ${key}`);
        deleted.push(key);
      },
    },
    log: silentLogger,
    intervalMs: 50,
    batchSize: 10,
  });
  return { sweeper, deleted, forgotten, due };
}

const keys = (count: number): string[] => Array.from({ length: count }, (_, n) => `key-${n}`);

it('deletes all that is due in batches, bytes before rows', async () => {
  const { sweeper, deleted, forgotten } = sweptFiles(keys(25));
  expect(await sweeper.runOnce()).toBe(25);
  expect(deleted.toSorted()).toEqual(keys(25).toSorted());
  expect(forgotten.toSorted()).toEqual(deleted.toSorted());
});

it('keeps the rows of what it could not delete, and does the others', async () => {
  const { sweeper, forgotten } = sweptFiles(keys(9), ['key-3', 'key-5']);
  await expect(sweeper.runOnce()).rejects.toThrow(/no key-/);
  expect(forgotten.toSorted()).toEqual(
    keys(9)
      .filter((key) => key !== 'key-3' && key !== 'key-5')
      .toSorted(),
  );
});

it('stops between two batches when it is told to', async () => {
  const { sweeper, due } = sweptFiles(keys(25));
  const stopped = new AbortController();
  stopped.abort();
  await sweeper.runOnce(stopped.signal);
  expect(due).toHaveLength(15);
});

it('stops within a batch when it is told to, and forgets what it has deleted', async () => {
  const stopped = new AbortController();
  const { sweeper, deleted, forgotten } = sweptFiles(keys(10), [], () => stopped.abort());
  expect(await sweeper.runOnce(stopped.signal)).toBe(8);
  expect(deleted).toEqual(keys(8));
  expect(forgotten.toSorted()).toEqual(deleted.toSorted());
});

describeService('the file sweeper', () => sweptFiles(keys(3)).sweeper);
