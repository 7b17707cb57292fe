import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { NewTask } from '@longshore/core';
import {
  accepted,
  alter,
  claimed,
  newPrincipalId,
  newTaskId,
  RESULT,
} from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

/* Calls without a handle: a client waits for the answer, and may get a handle after all. */

let stores: TestStores;

beforeAll(async () => {
  stores = await openTestStores();
});

afterAll(async () => {
  await stores.drop();
});

const NOT_FOUND = { kind: 'not_found' };
const held = (changes: Partial<NewTask> = {}) => accepted(stores, { listed: false, ...changes });
const promote = (task: NewTask) => stores.taskStore.promote(task.id, task.principalId);

it('gives a call a handle, once', async () => {
  const call = await held();
  expect(await promote(call)).toMatchObject({ id: call.id, listed: true, state: 'working' });
  expect(await stores.taskStore.find(call.id, call.principalId)).toMatchObject({ listed: true });
  const listed = await stores.taskStore.list(call.principalId, 10, null);
  expect(listed.map(({ id }) => id)).toEqual([call.id]);
  expect(await promote(call)).toBeNull();
  expect(await stores.taskStore.cancelHeld(call.id, call.principalId)).toEqual(NOT_FOUND);
  expect(await stores.taskStore.cancel(call.id, call.principalId)).toMatchObject({
    kind: 'cancelled',
  });
});

it('gives one handle to one of many who ask at once', async () => {
  const call = await held();
  const answers = await Promise.all([1, 2, 3, 4].map(() => promote(call)));
  expect(answers.filter((task) => task !== null)).toHaveLength(1);
});

it('gives a call that has ended a handle too, with its end', async () => {
  const call = await held();
  await claimed(stores, call.id);
  const end = { attempt: 1, outcome: RESULT, progress: null, statusMessage: null };
  await stores.attemptStore.finish({ taskId: call.id, ...end });
  expect(await promote(call)).toMatchObject({ listed: true, state: 'finished' });
});

it('leaves the attempt that runs a call alone when it gets a handle', async () => {
  const call = await held();
  await claimed(stores, call.id);
  await promote(call);
  const end = { attempt: 1, outcome: RESULT, progress: null, statusMessage: null };
  expect(await stores.attemptStore.finish({ taskId: call.id, ...end })).toBe(true);
});

it('gives no handle to strangers, and none for unknown, expired and listed calls', async () => {
  const [call, expired, listed] = [await held(), await held(), await accepted(stores)];
  await alter(stores, expired.id, 'expires_at = now()');
  const { taskStore } = stores;
  expect(await taskStore.promote(call.id, newPrincipalId())).toBeNull();
  expect(await taskStore.promote(newTaskId(), call.principalId)).toBeNull();
  expect(await taskStore.promote('nonsense' as never, call.principalId)).toBeNull();
  expect(await promote(expired)).toBeNull();
  expect(await promote(listed)).toBeNull();
  expect(await taskStore.find(call.id, call.principalId)).toBeNull();
});

it('cancels a held call, and says which worker runs it', async () => {
  const call = await held();
  const workerId = newTaskId() as string as never;
  await claimed(stores, call.id, workerId);
  const { taskStore } = stores;
  expect(await taskStore.cancelHeld(call.id, newPrincipalId())).toEqual(NOT_FOUND);
  expect(await taskStore.cancelHeld(newTaskId(), call.principalId)).toEqual(NOT_FOUND);
  expect(await taskStore.cancelHeld('nonsense' as never, call.principalId)).toEqual(NOT_FOUND);
  expect(await taskStore.cancelHeld(call.id, call.principalId)).toMatchObject({
    kind: 'cancelled',
    workerId,
    task: { id: call.id, listed: false, state: 'cancelled' },
  });
  expect(await taskStore.cancelHeld(call.id, call.principalId)).toMatchObject({
    kind: 'already_terminal',
  });
});

it('either promotes or cancels a held call when both come at once', async () => {
  const calls = await Promise.all(Array.from({ length: 20 }, () => held()));
  const ends = await Promise.all(
    calls.map(async (call, index) => {
      const cancel = () => stores.taskStore.cancelHeld(call.id, call.principalId);
      if (index % 2 === 0) return Promise.all([promote(call), cancel()]);
      const [cancelled, promoted] = await Promise.all([cancel(), promote(call)]);
      return [promoted, cancelled] as const;
    }),
  );
  for (const [promoted, cancelled] of ends) {
    // A cancelled call may get a handle, a listed one is no held call any more.
    if (cancelled.kind === 'cancelled') expect(promoted?.state).toBe('cancelled');
    else expect([promoted?.state, cancelled]).toEqual(['working', NOT_FOUND]);
  }
});
