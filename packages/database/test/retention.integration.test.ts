import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { NewTask, Outcome } from '@longshore/core';
import { lockRow } from './fixtures/lock-row.ts';
import { accepted, alter, claimed, RESULT } from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

let stores: TestStores;

beforeEach(async () => {
  stores = await openTestStores();
});

afterEach(async () => {
  await stores.drop();
});

const HOUR = 3_600_000;

/** A task that logged, saved a checkpoint and ended `minutes` ago. */
async function ended(minutes: number, outcome: Outcome = RESULT): Promise<NewTask> {
  const task = await accepted(stores);
  const { attempt } = await claimed(stores, task.id);
  await stores.attemptStore.appendLogs(task.id, attempt, [
    { level: 'info', logger: null, data: 'secret' },
  ]);
  await stores.attemptStore.setCheckpoint(task.id, attempt, 'place', 7);
  await stores.attemptStore.finish({
    taskId: task.id,
    attempt,
    outcome,
    progress: null,
    statusMessage: null,
  });
  await alter(stores, task.id, `finished_at = now() - interval '${minutes} minutes'`);
  return task;
}

const outcomeOf = async ({ id, principalId }: NewTask): Promise<Outcome | null> =>
  (await stores.taskStore.findWithOutcome(id, principalId))?.outcome ?? null;

it('prunes histories of old ends, but for creation and end', async () => {
  const [old, young] = [await ended(61), await ended(59)];
  const running = await accepted(stores);
  await claimed(stores, running.id);
  await alter(stores, running.id, "created_at = now() - interval '1 day'");
  expect(await stores.maintenanceStore.pruneEvents(HOUR, 10)).toBe(1);
  expect(await stores.eventsOf(old.id)).toEqual(['created', 'finished']);
  expect(await stores.eventsOf(young.id)).toEqual(['created', 'started', 'log', 'finished']);
  expect(await stores.eventsOf(running.id)).toEqual(['created', 'started']);
  expect(await stores.sql('SELECT task_id FROM task_checkpoints')).toEqual([{ task_id: young.id }]);
  expect(await outcomeOf(old)).toEqual(RESULT);
  expect(await stores.maintenanceStore.pruneEvents(HOUR, 10)).toBe(0);
});

it('prunes results of old ends, and says so to whoever asks', async () => {
  const error: Outcome = { kind: 'error', error: { code: -1, message: 'secret' } };
  const [old, failed, young] = [await ended(61), await ended(61, error), await ended(59)];
  expect(await stores.maintenanceStore.pruneResults(HOUR, 10)).toBe(2);
  expect(await outcomeOf(young)).toEqual(RESULT);
  expect(await outcomeOf(old)).toMatchObject({
    kind: 'result',
    isError: true,
    result: { content: [{ text: 'The result of this task is no longer kept.' }] },
  });
  expect(await outcomeOf(failed)).toEqual({
    kind: 'error',
    error: { code: -32_603, message: 'The result of this task is no longer kept.' },
  });
  expect(await stores.taskStore.find(old.id, old.principalId)).toMatchObject({
    state: 'finished',
    outcomeKind: 'result',
  });
  expect(await stores.eventsOf(old.id)).toContain('log');
  expect(await stores.maintenanceStore.pruneResults(HOUR, 10)).toBe(0);
});

it('prunes both of one task, in any order, and the task is deleted as ever', async () => {
  const [first, second] = [await ended(61), await ended(61)];
  expect(await stores.maintenanceStore.pruneResults(HOUR, 1)).toBe(1);
  expect(await stores.maintenanceStore.pruneEvents(HOUR, 10)).toBe(2);
  expect(await stores.maintenanceStore.pruneResults(HOUR, 10)).toBe(1);
  for (const { id } of [first, second]) {
    expect(await stores.eventsOf(id)).toEqual(['created', 'finished']);
    await alter(stores, id, 'expires_at = now()');
  }
  expect(await stores.sql('SELECT FROM task_results')).toEqual([]);
  expect(await stores.maintenanceStore.deleteExpired(10)).toEqual({ deleted: 2, open: [] });
});

it('skips tasks that others hold, and waits for nobody', async () => {
  const [held, free] = [await ended(61), await ended(61)];
  const release = await lockRow(stores, 'tasks', held.id);
  expect(await stores.maintenanceStore.pruneEvents(HOUR, 10)).toBe(1);
  expect(await stores.eventsOf(free.id)).toEqual(['created', 'finished']);
  await release();
  expect(await stores.maintenanceStore.pruneEvents(HOUR, 10)).toBe(1);
});
