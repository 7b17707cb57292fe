import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { InputRequestId, PrincipalId, RemoteTask, TaskId } from '@longshore/core';
import { answersOf, asking, question, reply, stateOf } from './fixtures/question-factory.ts';
import {
  alter,
  claimed,
  claimTask,
  fenceOf,
  loseLease,
  newPrincipalId,
  newTaskId,
} from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

/* What the API does with questions: show, answer, lease to streams. */

const LEASE_MS = 25_000;

let stores: TestStores;

beforeAll(async () => {
  stores = await openTestStores();
});

afterAll(async () => {
  await stores.drop();
});

interface Owned {
  readonly id: TaskId;
  readonly principalId: PrincipalId;
}

const only = async ({ id, principalId }: Owned): Promise<InputRequestId> => {
  const [input] = await stores.inputStore.pending(id, principalId);
  if (input === undefined) throw new Error('one question');
  return input.id;
};

const lease = async ({ id, principalId }: Owned, stream: string, leaseMs = LEASE_MS) => {
  const leased = await stores.inputStore.lease(id, principalId, stream, leaseMs);
  return leased.map(({ key }) => key);
};

/** The streams that have leased a question; null for a free one. */
const leases = (taskId: TaskId) =>
  stores.sql<{ key: string; stream_id: string | null }>(
    'SELECT key, stream_id FROM input_requests WHERE task_id = $1 ORDER BY event_id',
    [taskId],
  );

it('answers questions by key, and sets the task to working with the last one', async () => {
  const { task, workerId } = await asking(stores, ['a', 'b']);
  const { inputStore } = stores;
  const first = answersOf(['a', reply('1')], ['unknown', reply('?')]);
  expect(await inputStore.answer(task.id, task.principalId, first)).toMatchObject({
    kind: 'answered',
    keys: ['a'],
    remaining: 1,
    workerId,
    task: { id: task.id, state: 'input_required' },
  });
  expect((await inputStore.pending(task.id, task.principalId)).map(({ key }) => key)).toEqual([
    'b',
  ]);
  const second = answersOf(['a', reply('again')], ['b', reply('2')]);
  const outcome = await inputStore.answer(task.id, task.principalId, second);
  expect(outcome).toMatchObject({ keys: ['b'], remaining: 0, task: { state: 'working' } });
  expect(await stores.taskStore.find(task.id, task.principalId)).toEqual(
    outcome.kind === 'answered' && outcome.task,
  );
  expect(await stores.attemptStore.readAnswers(task.id, ['a', 'b'])).toEqual(
    answersOf(['a', reply('1')], ['b', reply('2')]),
  );
});

it('notes answers in the history by key, without what was said', async () => {
  const { task } = await asking(stores, ['a', 'b']);
  const answers = answersOf(['b', reply('secret')], ['a', { kind: 'invalid', problem: 'secret' }]);
  await stores.inputStore.answer(task.id, task.principalId, answers);
  const events = await stores.sql(
    "SELECT attempt, data FROM task_events WHERE task_id = $1 AND kind = 'input_answered' ORDER BY id",
    [task.id],
  );
  expect(events).toEqual([
    { attempt: 1, data: { key: 'a' } },
    { attempt: 1, data: { key: 'b' } },
  ]);
});

it('keeps an answer exactly', async () => {
  const { task } = await asking(stores, ['q']);
  const answer = { kind: 'result', result: { z: 'a\0b', a: '\ud800', n: 1e-7 } } as const;
  await stores.inputStore.answer(task.id, task.principalId, answersOf(['q', answer]));
  const [, stored] = [...(await stores.attemptStore.readAnswers(task.id, ['q']))][0] ?? [];
  expect(JSON.stringify(stored)).toBe(JSON.stringify(answer));
});

it('takes an answer to nothing as no change', async () => {
  const { task } = await asking(stores, ['q']);
  await alter(stores, task.id, "updated_at = now() - interval '1 hour'");
  const before = await stores.taskStore.find(task.id, task.principalId);
  for (const answers of [answersOf(), answersOf(['other', reply('x')])]) {
    expect(await stores.inputStore.answer(task.id, task.principalId, answers)).toMatchObject({
      kind: 'answered',
      keys: [],
      remaining: 1,
    });
  }
  expect(await stores.taskStore.find(task.id, task.principalId)).toEqual(before);
});

it('tells of no worker whose lease ran out', async () => {
  const { task } = await asking(stores, ['q']);
  await loseLease(stores, task.id);
  expect(
    await stores.inputStore.answer(task.id, task.principalId, answersOf(['q', reply('x')])),
  ).toMatchObject({ keys: ['q'], workerId: null });
});

it('serves questions of calls without a handle too', async () => {
  const { task } = await asking(stores, ['q'], { listed: false });
  const id = await only(task);
  expect(await stores.inputStore.find(id, task.principalId)).toMatchObject({ taskId: task.id });
  expect(
    await stores.inputStore.answer(task.id, task.principalId, answersOf(['q', reply('x')])),
  ).toMatchObject({ keys: ['q'], task: { listed: false, state: 'working' } });
});

it('shows, leases and answers questions for their owner and for nobody else', async () => {
  const { task } = await asking(stores, ['q']);
  const id = await only(task);
  const stranger = newPrincipalId();
  const { inputStore } = stores;
  const remote = { taskId: 'remote', status: 'working', pollIntervalMs: 1 } as const;
  expect(await inputStore.pending(task.id, stranger)).toEqual([]);
  expect(await inputStore.find(id, stranger)).toBeNull();
  expect(await inputStore.lease(task.id, stranger, randomUUID(), LEASE_MS)).toEqual([]);
  expect(await inputStore.setRemoteTask(id, stranger, remote)).toBe(false);
  expect(await inputStore.answer(task.id, stranger, answersOf(['q', reply('x')]))).toEqual({
    kind: 'not_found',
  });
  expect(await stores.taskStore.logs(task.id, stranger, '0', 10)).toEqual([]);
  expect(await leases(task.id)).toEqual([{ key: 'q', stream_id: null }]);
  expect(await inputStore.find(id, task.principalId)).toEqual({
    taskId: task.id,
    input: (await inputStore.pending(task.id, task.principalId))[0],
  });
});

it('answers unknown ids and nonsense alike', async () => {
  const owner = newPrincipalId();
  const { inputStore } = stores;
  const remote = { taskId: 'remote', status: 'working', pollIntervalMs: 1 } as const;
  for (const id of [newTaskId(), 'nonsense', "'; --"]) {
    const [taskId, inputId] = [id as TaskId, id as InputRequestId];
    expect(await inputStore.pending(taskId, owner)).toEqual([]);
    expect(await inputStore.find(inputId, owner)).toBeNull();
    expect(await inputStore.answer(taskId, owner, answersOf())).toEqual({ kind: 'not_found' });
    expect(await inputStore.lease(taskId, owner, randomUUID(), LEASE_MS)).toEqual([]);
    expect(await inputStore.setRemoteTask(inputId, owner, remote)).toBe(false);
  }
});

it('finds a question until it is answered', async () => {
  const { task } = await asking(stores, ['q']);
  const id = await only(task);
  await stores.inputStore.answer(task.id, task.principalId, answersOf(['q', reply('x')]));
  expect(await stores.inputStore.find(id, task.principalId)).toBeNull();
});

it('gives each question to one stream, and new questions to whoever asks first', async () => {
  const { task } = await asking(stores, ['a', 'b']);
  const [left, right] = [randomUUID(), randomUUID()];
  expect(await lease(task, left)).toEqual(['a', 'b']);
  expect(await lease(task, right)).toEqual([]);
  expect(await lease(task, left)).toEqual([]);
  await stores.attemptStore.ask(fenceOf(task.id, 1), [question('c')]);
  expect(await lease(task, right)).toEqual(['c']);
  expect(await lease(task, left)).toEqual([]);
});

it('renews the leases of many streams at once, and says what is free beside them', async () => {
  const { inputStore, attemptStore, sql } = stores;
  const [one, other] = [await asking(stores, ['a', 'b']), await asking(stores, ['c'])];
  const [left, right] = [randomUUID(), randomUUID()];
  await lease(one.task, left);
  await lease(other.task, right);
  const of = ({ task }: typeof one, streamId: string, owner = task.principalId) => ({
    ...{ taskId: task.id, owner, streamId },
  });
  await attemptStore.ask(fenceOf(one.task.id, 1), [question('d')]);
  await sql("UPDATE input_requests SET stream_lease_expires_at = now() - interval '1 ms'");
  const leases = [of(one, left), of(one, right), of(other, right)];
  expect(await inputStore.renewLeases(leases, LEASE_MS)).toEqual([
    { held: 2, free: 1 },
    { held: 0, free: 3 },
    { held: 1, free: 0 },
  ]);
  // They are renewed: nobody else gets them.
  expect(await lease(one.task, right)).toEqual(['d']);
  expect(await lease(other.task, left)).toEqual([]);
  const stranger = randomUUID() as typeof one.task.principalId;
  expect(await inputStore.renewLeases([of(one, left, stranger)], LEASE_MS)).toEqual([
    { held: 0, free: 0 },
  ]);
});

it('gives a question to another stream when its lease is given back or has run out', async () => {
  const { task } = await asking(stores, ['a', 'b']);
  const [gone, silent, next] = [randomUUID(), randomUUID(), randomUUID()];
  await lease(task, gone);
  await stores.inputStore.unlease(gone);
  await stores.inputStore.unlease(gone);
  expect(await lease(task, silent)).toEqual(['a', 'b']);
  const leaseEnds = (instant: string) =>
    stores.sql(
      `UPDATE input_requests SET stream_lease_expires_at = ${instant} WHERE task_id = $1`,
      [task.id],
    );
  await leaseEnds("now() + interval '10 s'");
  expect(await lease(task, next)).toEqual([]);
  await leaseEnds("now() - interval '1 ms'");
  expect(await lease(task, next)).toEqual(['a', 'b']);
  expect(await lease(task, silent)).toEqual([]);
});

it('renews the lease of a stream that was silent too long, unless another one came', async () => {
  const { task } = await asking(stores, ['q']);
  const stream = randomUUID();
  await lease(task, stream, -1);
  expect(await lease(task, stream)).toEqual([]);
  expect(await lease(task, randomUUID())).toEqual([]);
});

it('takes no questions from other streams when one ends', async () => {
  const [one, other] = [await asking(stores, ['q']), await asking(stores, ['q'])];
  const [left, right] = [randomUUID(), randomUUID()];
  await lease(one.task, left);
  await lease(other.task, right);
  await stores.inputStore.unlease(left);
  expect(await leases(one.task.id)).toEqual([{ key: 'q', stream_id: null }]);
  expect(await leases(other.task.id)).toEqual([{ key: 'q', stream_id: right }]);
});

it('keeps the stream of a question that the next attempt takes over', async () => {
  const { task } = await asking(stores, ['q']);
  const stream = randomUUID();
  await lease(task, stream);
  await loseLease(stores, task.id);
  await claimed(stores, task.id);
  await stores.attemptStore.ask(fenceOf(task.id, 2), [question('q')]);
  expect(await stateOf(stores, task.id)).toBe('input_required');
  expect(await lease(task, stream)).toEqual([]);
  expect(await lease(task, randomUUID())).toEqual([]);
});

it("notes a client's own task and its newest status until the question is answered", async () => {
  const { task } = await asking(stores, ['q']);
  const id = await only(task);
  const { inputStore } = stores;
  const remote = (status: RemoteTask['status']): RemoteTask => ({
    taskId: 'client-task-1',
    status,
    pollIntervalMs: 500,
  });
  for (const status of ['working', 'completed'] as const) {
    expect(await inputStore.setRemoteTask(id, task.principalId, remote(status))).toBe(true);
    const [pending] = await inputStore.pending(task.id, task.principalId);
    expect(pending?.remoteTask).toEqual(remote(status));
  }
  await inputStore.answer(task.id, task.principalId, answersOf(['q', reply('x')]));
  expect(await inputStore.setRemoteTask(id, task.principalId, remote('failed'))).toBe(false);
});

it('finds unanswered questions by key between two attempts as well, for their owner only', async () => {
  const { task } = await asking(stores, ['a', 'b', 'c']);
  const { inputStore } = stores;
  await inputStore.answer(task.id, task.principalId, answersOf(['b', reply('1')]));
  await loseLease(stores, task.id);
  await claimTask(stores, task.id);
  expect(await inputStore.pending(task.id, task.principalId)).toEqual([]);
  const keys = ['a', 'b', 'unknown', 'no\0key'];
  const found = await inputStore.unanswered(task.id, task.principalId, keys);
  expect(found.map(({ key }) => key)).toEqual(['a']);
  expect(await inputStore.unanswered(task.id, newPrincipalId(), keys)).toEqual([]);
  expect(await inputStore.unanswered(task.id, task.principalId, ['no\0key'])).toEqual([]);
  const outcome = await inputStore.answer(task.id, task.principalId, answersOf(['a', reply('2')]));
  expect(outcome).toMatchObject({ keys: ['a'], task: { state: 'working' } });
  await stores.taskStore.cancel(task.id, task.principalId);
  expect(await inputStore.unanswered(task.id, task.principalId, ['c'])).toEqual([]);
});

it('says which questions were answered or withdrawn, and nothing of open and foreign ones', async () => {
  const { task } = await asking(stores, ['answered', 'timed out', 'open']);
  const { inputStore } = stores;
  const pending = await inputStore.pending(task.id, task.principalId);
  const ids = pending.map(({ id }) => id);
  const fates = async (owner: PrincipalId) => {
    const settled = await inputStore.settled(task.id, owner, ids);
    return pending.map(({ id, key }) => ({ key, fate: settled.get(id) }));
  };
  await inputStore.answer(task.id, task.principalId, answersOf(['answered', reply('1')]));
  await stores.attemptStore.timeOutInputs(fenceOf(task.id, 1), ['timed out']);
  expect(await fates(task.principalId)).toEqual([
    { key: 'answered', fate: 'answered' },
    { key: 'timed out', fate: 'withdrawn' },
    { key: 'open', fate: undefined },
  ]);
  expect((await inputStore.settled(task.id, newPrincipalId(), ids)).size).toBe(0);
  await stores.taskStore.cancel(task.id, task.principalId);
  expect((await fates(task.principalId))[2]?.fate).toBe('withdrawn');
});
