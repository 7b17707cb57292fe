import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type InputAnswer, silentLogger } from '@longshore/core';
import { openDatabase } from '../src/index.ts';
import { answersOf, asking, question, reply, stateOf } from './fixtures/question-factory.ts';
import { claimed, fenceOf, finishOf, loseLease } from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

const ROUNDS = 20;
const LEASE_MS = 25_000;

let stores: TestStores;
let left: ReturnType<typeof openDatabase>;
let right: ReturnType<typeof openDatabase>;

beforeAll(async () => {
  stores = await openTestStores();
  [left, right] = [1, 2].map(() =>
    openDatabase({ url: stores.url, log: silentLogger, poolSize: 4 }),
  ) as [typeof left, typeof right];
  await Promise.all([left.ping(), right.ping()]);
});

afterAll(async () => {
  await Promise.all([left.close(), right.close()]);
  await stores.drop();
});

/** Runs both at once for many tasks, in turns one or the other first, so that both get to win. */
async function rounds<Left, Right>(
  keys: readonly string[],
  one: (asked: Awaited<ReturnType<typeof asking>>) => Promise<Left>,
  other: (asked: Awaited<ReturnType<typeof asking>>) => Promise<Right>,
): Promise<{ asked: Awaited<ReturnType<typeof asking>>; one: Left; other: Right }[]> {
  const all = await Promise.all(Array.from({ length: ROUNDS }, () => asking(stores, keys)));
  return Promise.all(
    all.map(async (asked, index) => {
      if (index % 2 === 0) {
        const [first, second] = await Promise.all([one(asked), other(asked)]);
        return { asked, one: first, other: second };
      }
      const [second, first] = await Promise.all([other(asked), one(asked)]);
      return { asked, one: first, other: second };
    }),
  );
}

const stored = async (taskId: string): Promise<InputAnswer | undefined> =>
  (await stores.attemptStore.readAnswers(taskId as never, ['q'])).get('q');

it('takes one of two answers that come at once, and says whose it was', async () => {
  const results = await rounds(
    ['q'],
    ({ task }) => left.inputStore.answer(task.id, task.principalId, answersOf(['q', reply('l')])),
    ({ task }) => right.inputStore.answer(task.id, task.principalId, answersOf(['q', reply('r')])),
  );
  for (const { asked, one, other } of results) {
    if (one.kind !== 'answered' || other.kind !== 'answered') throw new Error('both are answers');
    expect([...one.keys, ...other.keys]).toEqual(['q']);
    const winner = one.keys.length === 1 ? 'l' : 'r';
    expect(await stored(asked.task.id)).toEqual(reply(winner));
    expect([one, other]).toMatchObject([
      { remaining: 0, task: { state: 'working' } },
      { remaining: 0, task: { state: 'working' } },
    ]);
    const events = await stores.eventsOf(asked.task.id);
    expect(events.filter((kind) => kind === 'input_answered')).toHaveLength(1);
  }
});

it('sets a task to working when its two questions are answered at once by two replicas', async () => {
  const results = await rounds(
    ['a', 'b'],
    ({ task }) => left.inputStore.answer(task.id, task.principalId, answersOf(['a', reply('a')])),
    ({ task }) => right.inputStore.answer(task.id, task.principalId, answersOf(['b', reply('b')])),
  );
  for (const { asked, one, other } of results) {
    const remaining = [one, other].map((end) => end.kind === 'answered' && end.remaining);
    expect(remaining.toSorted()).toEqual([0, 1]);
    expect(await stateOf(stores, asked.task.id)).toBe('working');
  }
});

it('tells the worker what the answer was when answer and time-out meet', async () => {
  const results = await rounds(
    ['q'],
    ({ task }) => left.inputStore.answer(task.id, task.principalId, answersOf(['q', reply('l')])),
    ({ task }) => right.attemptStore.timeOutInputs(fenceOf(task.id, 1), ['q']),
  );
  for (const { asked, one, other } of results) {
    const answered = one.kind === 'answered' && one.keys.length === 1;
    const expected: InputAnswer = answered ? reply('l') : { kind: 'timeout' };
    expect(other).toEqual(new Map([['q', expected]]));
    expect(await stored(asked.task.id)).toEqual(expected);
    expect(await stateOf(stores, asked.task.id)).toBe('working');
    expect((await stores.eventsOf(asked.task.id)).at(-1)).toBe(
      answered ? 'input_answered' : 'input_timed_out',
    );
  }
});

it('answers before a cancel or not at all', async () => {
  const results = await rounds(
    ['q'],
    ({ task }) => left.inputStore.answer(task.id, task.principalId, answersOf(['q', reply('l')])),
    ({ task }) => right.taskStore.cancel(task.id, task.principalId),
  );
  for (const { asked, one, other } of results) {
    expect(other.kind).toBe('cancelled');
    expect(await stateOf(stores, asked.task.id)).toBe('cancelled');
    if (one.kind !== 'answered') throw new Error('the task is known');
    const events = (await stores.eventsOf(asked.task.id)).slice(3);
    expect(events).toEqual(one.keys.length === 1 ? ['input_answered', 'cancelled'] : ['cancelled']);
  }
});

it('answers before a finish or not at all', async () => {
  const results = await rounds(
    ['q'],
    ({ task }) => left.inputStore.answer(task.id, task.principalId, answersOf(['q', reply('l')])),
    ({ task }) => right.attemptStore.finish(finishOf(task.id, 1)),
  );
  for (const { asked, one, other } of results) {
    expect(other).toBe(true);
    expect(await stateOf(stores, asked.task.id)).toBe('finished');
    if (one.kind !== 'answered') throw new Error('the task is known');
    const events = (await stores.eventsOf(asked.task.id)).slice(3);
    expect(events).toEqual(one.keys.length === 1 ? ['input_answered', 'finished'] : ['finished']);
  }
});

it('leaves a task waiting when a new question meets the answer to the last one', async () => {
  const results = await rounds(
    ['q'],
    ({ task }) => left.inputStore.answer(task.id, task.principalId, answersOf(['q', reply('l')])),
    ({ task }) => right.attemptStore.ask(fenceOf(task.id, 1), [question('next')]),
  );
  for (const { asked } of results) {
    const { id, principalId } = asked.task;
    expect(await stateOf(stores, id)).toBe('input_required');
    const pending = await stores.inputStore.pending(id, principalId);
    expect(pending.map(({ key }) => key)).toEqual(['next']);
  }
});

it('takes a question once when it is asked twice at once', async () => {
  const results = await rounds(
    ['first'],
    ({ task }) => left.attemptStore.ask(fenceOf(task.id, 1), [question('q')]),
    ({ task }) => right.attemptStore.ask(fenceOf(task.id, 1), [question('q')]),
  );
  for (const { asked, one, other } of results) {
    expect([one, other]).toEqual([
      new Map([['q', { kind: 'asked' }]]),
      new Map([['q', { kind: 'asked' }]]),
    ]);
    const { id, principalId } = asked.task;
    expect(await stores.inputStore.pending(id, principalId)).toHaveLength(2);
  }
});

it('lets only the next attempt ask when it is claimed while the old one asks', async () => {
  const results = await rounds(
    ['first'],
    ({ task }) => left.attemptStore.ask(fenceOf(task.id, 1), [question('old')]),
    async ({ task }) => {
      await loseLease(stores, task.id);
      await claimed(stores, task.id);
      return right.attemptStore.ask(fenceOf(task.id, 2), [question('new')]);
    },
  );
  for (const { asked, other } of results) {
    expect(other).toEqual(new Map([['new', { kind: 'asked' }]]));
    const { id, principalId } = asked.task;
    const pending = await stores.inputStore.pending(id, principalId);
    expect(pending.map(({ key }) => key)).toEqual(['new']);
    expect(await stores.attemptStore.ask(fenceOf(id, 1), [question('late')])).toBeNull();
  }
});

it('leases each question to one of two streams that come at once', async () => {
  const keys = ['a', 'b', 'c'];
  const results = await rounds(
    keys,
    ({ task }) => left.inputStore.lease(task.id, task.principalId, randomUUID(), LEASE_MS),
    ({ task }) => right.inputStore.lease(task.id, task.principalId, randomUUID(), LEASE_MS),
  );
  for (const { one, other } of results) {
    expect([...one, ...other].map(({ key }) => key).toSorted()).toEqual(keys);
  }
});

it('leases no question that is being answered', async () => {
  const results = await rounds(
    ['q'],
    ({ task }) => left.inputStore.answer(task.id, task.principalId, answersOf(['q', reply('l')])),
    ({ task }) => right.inputStore.lease(task.id, task.principalId, randomUUID(), LEASE_MS),
  );
  for (const { asked } of results) {
    const rows = await stores.sql(
      'SELECT stream_id, answered_at IS NULL AS is_open FROM input_requests WHERE task_id = $1',
      [asked.task.id],
    );
    expect(rows).toEqual([{ stream_id: null, is_open: false }]);
  }
});
