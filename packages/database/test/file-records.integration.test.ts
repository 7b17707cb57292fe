import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { NewTask, Outcome, TaskId } from '@longshore/core';
import {
  accepted,
  alter,
  claimed,
  fenceOf,
  finishOf,
  loseLease,
  newPrincipalId,
  newTaskId,
} from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

const FACTS = { name: 'report.csv', mimeType: 'text/csv' };
const SHA256 = 'ab'.repeat(32);
const RETRY_MS = 60_000;

let stores: TestStores;

beforeAll(async () => {
  stores = await openTestStores();
});
beforeEach(() => stores.empty());
afterAll(() => stores.drop());

const files = () => stores.fileRecords;
const running = async (changes: Partial<NewTask> = {}) => {
  const task = await accepted(stores, changes);
  await claimed(stores, task.id);
  return task;
};
const opened = async (id: TaskId, attempt = 1, facts = FACTS): Promise<string> => {
  const file = await files().open(fenceOf(id, attempt), facts);
  if (file === null) throw new Error('not opened');
  return file.key;
};
const kept = async (id: TaskId, attempt = 1, facts = FACTS): Promise<string> => {
  const key = await opened(id, attempt, facts);
  expect(await files().keep(fenceOf(id, attempt), { key, size: 12, sha256: SHA256 })).toBe(true);
  return key;
};
const due = (): Promise<string[]> => files().pickUnwanted(10, RETRY_MS);
const timePasses = () =>
  stores.sql(`UPDATE task_files SET sweep_after = sweep_after - interval '61 minutes'`);

it('shows a file once it is kept, to its owner', async () => {
  const task = await running();
  const key = await opened(task.id);
  expect(await files().find(task.id, task.principalId, FACTS.name)).toBeNull();
  await files().keep(fenceOf(task.id, 1), { key, size: 12, sha256: SHA256 });
  expect(await files().find(task.id, task.principalId, FACTS.name)).toEqual({
    ...FACTS,
    key,
    size: 12,
    sha256: SHA256,
  });
  expect(await files().find(task.id, newPrincipalId(), FACTS.name)).toBeNull();
  expect(await files().find(newTaskId(), task.principalId, FACTS.name)).toBeNull();
  expect(await files().find(task.id, task.principalId, 'other.csv')).toBeNull();
  await alter(stores, task.id, 'expires_at = now()');
  expect(await files().find(task.id, task.principalId, FACTS.name)).toBeNull();
});

it('lists the readable files of a task by name', async () => {
  const task = await running();
  await kept(task.id, 1, { name: 'b', mimeType: 'text/plain' });
  await kept(task.id, 1, { name: 'a', mimeType: 'text/plain' });
  await opened(task.id, 1, { name: 'c', mimeType: 'text/plain' });
  expect((await files().list(task.id, 10)).map(({ name }) => name)).toEqual(['a', 'b']);
  expect(await files().list(task.id, 1)).toHaveLength(1);
});

it('replaces a file of the same name, and gives the older one up', async () => {
  const task = await running();
  const first = await kept(task.id);
  await kept(task.id, 1, { ...FACTS, name: 'other.csv' });
  const second = await kept(task.id);
  expect(await files().find(task.id, task.principalId, FACTS.name)).toMatchObject({ key: second });
  expect(await due()).toEqual([first]);
});

it('tells with each new file what the readable ones of its principal take', async () => {
  const task = await running();
  const keptBytes = async (id: TaskId) => (await files().open(fenceOf(id, 1), FACTS))?.keptBytes;
  expect(await keptBytes(task.id)).toBe(0);
  await kept(task.id);
  await kept(task.id, 1, { ...FACTS, name: 'other.csv' });
  await opened(task.id);
  const sibling = await running({ principalId: task.principalId });
  expect(await keptBytes(sibling.id)).toBe(24);
  await kept(task.id);
  expect(await keptBytes(sibling.id)).toBe(24);
  expect(await keptBytes((await running()).id)).toBe(0);
  await alter(stores, task.id, 'expires_at = now()');
  await stores.maintenanceStore.deleteExpired(10);
  expect(await keptBytes(sibling.id)).toBe(0);
});

it('takes nothing from an attempt that is not the current one', async () => {
  const task = await running();
  const key = await opened(task.id);
  await loseLease(stores, task.id);
  await claimed(stores, task.id);
  expect(await files().open(fenceOf(task.id, 1), FACTS)).toBeNull();
  expect(await files().keep(fenceOf(task.id, 1), { key, size: 1, sha256: SHA256 })).toBe(false);
  expect(await files().find(task.id, task.principalId, FACTS.name)).toBeNull();
  // What was kept before stays where it is.
  const second = await kept(task.id, 2);
  expect(await files().keep(fenceOf(task.id, 1), { key, size: 1, sha256: SHA256 })).toBe(false);
  expect(await files().find(task.id, task.principalId, FACTS.name)).toMatchObject({ key: second });
});

it('takes nothing for a task that was cancelled', async () => {
  const task = await running();
  const key = await opened(task.id);
  await stores.taskStore.cancel(task.id, task.principalId);
  expect(await files().open(fenceOf(task.id, 1), FACTS)).toBeNull();
  expect(await files().keep(fenceOf(task.id, 1), { key, size: 1, sha256: SHA256 })).toBe(false);
});

it('gives each unwanted file to one sweeper, and again when it was not forgotten in time', async () => {
  const task = await running();
  const key = await opened(task.id);
  await files().drop(key);
  const picked = await Promise.all([due(), due(), due()]);
  expect(picked.flat()).toEqual([key]);
  expect(await due()).toEqual([]);
  await timePasses();
  expect(await due()).toEqual([key]);
  await files().forget([key]);
  await timePasses();
  expect(await due()).toEqual([]);
  expect(await stores.sql('SELECT FROM task_files')).toEqual([]);
});

it('neither drops nor forgets a file that can be read', async () => {
  const task = await running();
  const key = await kept(task.id);
  await files().drop(key);
  await files().forget([key]);
  expect(await files().find(task.id, task.principalId, FACTS.name)).toMatchObject({ key });
  expect(await due()).toEqual([]);
});

it('looks after what a lost attempt was writing, an hour later, not after what is being written', async () => {
  const [lost, alive] = [await running(), await running()];
  const [left] = [await opened(lost.id), await opened(alive.id)];
  await loseLease(stores, lost.id);
  await claimed(stores, lost.id);
  expect(await due()).toEqual([]);
  await timePasses();
  expect(await due()).toEqual([left]);
});

it('gives up the files of a task that is deleted, those under way an hour later', async () => {
  const task = await running();
  const ready = await kept(task.id);
  const writing = await opened(task.id, 1, { ...FACTS, name: 'half.csv' });
  const other = await running();
  await kept(other.id);
  await alter(stores, task.id, 'expires_at = now()');
  await stores.maintenanceStore.deleteExpired(10);
  expect(await due()).toEqual([ready]);
  await files().forget([ready]);
  await timePasses();
  expect(await due()).toEqual([writing]);
  expect(await files().find(other.id, other.principalId, FACTS.name)).not.toBeNull();
});

const LARGE: Outcome = {
  kind: 'result',
  isError: false,
  result: { content: [{ type: 'text', text: 'ä'.repeat(100_000) }] },
};
const PREVIEW = { content: [{ type: 'text', text: 'ä …' }] };
const finish = (taskId: TaskId, outcome: Outcome, preview = true) =>
  stores.attemptStore.finish({
    ...finishOf(taskId, 1),
    outcome,
    ...(preview ? { preview: PREVIEW } : {}),
  });

it('sends the preview of a large result, and keeps the whole for whoever reads it by parts', async () => {
  const task = await running();
  await finish(task.id, LARGE);
  const found = await stores.taskStore.findWithOutcome(task.id, task.principalId);
  expect(found?.outcome).toEqual({ ...LARGE, result: PREVIEW });
  const whole = Buffer.from(JSON.stringify(LARGE.kind === 'result' ? LARGE.result : null));
  expect(await files().findResult(task.id, task.principalId)).toEqual({ size: whole.length });
  const part = await files().readResult(task.id, task.principalId, 150_000, 999);
  expect(Buffer.from(part ?? []).equals(whole.subarray(150_000, 150_999))).toBe(true);
  const end = await files().readResult(task.id, task.principalId, whole.length - 5, 100);
  expect(Buffer.from(end ?? []).equals(whole.subarray(-5))).toBe(true);
  for (const read of [
    await files().findResult(task.id, newPrincipalId()),
    await files().readResult(task.id, newPrincipalId(), 0, 10),
    await files().findResult(newTaskId(), task.principalId),
  ]) {
    expect(read).toBeNull();
  }
});

it('gives a small result by parts as well, an unfinished one not at all, and no error', async () => {
  const [small, open, failed] = [await running(), await running(), await running()];
  const outcome: Outcome = {
    kind: 'result',
    isError: true,
    result: { content: [], isError: true },
  };
  await finish(small.id, outcome, false);
  await finish(failed.id, { kind: 'error', error: { code: 1, message: 'no' } }, false);
  const bytes = await files().readResult(small.id, small.principalId, 0, 1_000);
  expect(JSON.parse(Buffer.from(bytes ?? []).toString())).toEqual(outcome.result);
  expect(await files().findResult(small.id, small.principalId)).toEqual({ size: bytes?.length });
  expect(await files().findResult(open.id, open.principalId)).toBeNull();
  expect(await files().findResult(failed.id, failed.principalId)).toBeNull();
});

it('gives the parent of a task its result whole', async () => {
  const task = await running();
  await alter(stores, task.id, 'parent_task_id = gen_random_uuid()');
  await finish(task.id, LARGE);
  const found = await stores.taskStore.findWithOutcome(task.id, task.principalId);
  expect(found?.outcome).toEqual(LARGE);
});
