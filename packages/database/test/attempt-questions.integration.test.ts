import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AskedInput, TaskId } from '@longshore/core';
import { answersOf, asking, question, reply, stateOf } from './fixtures/question-factory.ts';
import {
  accepted,
  alter,
  claimed,
  failedOf,
  fenceOf,
  finishOf,
  loseLease,
  newTaskId,
} from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

/* What the worker does with questions: ask, read answers, give up waiting. */

let stores: TestStores;

beforeAll(async () => {
  stores = await openTestStores();
});

afterAll(async () => {
  await stores.drop();
});

const ASKED: AskedInput = { kind: 'asked' };
const TIMEOUT = { kind: 'timeout' };

const pendingKeys = async (task: { id: string; principalId: string }) => {
  const pending = await stores.inputStore.pending(task.id as never, task.principalId as never);
  return pending.map(({ key }) => key);
};

/** The next attempt takes over from a worker that died. */
const nextAttempt = async (taskId: string): Promise<number> => {
  await loseLease(stores, taskId as never);
  return (await claimed(stores, taskId as never)).attempt;
};

it('asks questions in their order, exactly as they were put, and sets the task to input_required', async () => {
  const task = await accepted(stores);
  await claimed(stores, task.id);
  await alter(stores, task.id, "updated_at = now() - interval '1 hour'");
  const questions = [
    question('b', { params: { z: 'a\0b', a: '\ud800', nested: { b: [1, null] } } }),
    question('a', { method: 'sampling/createMessage' }),
    question('c', { method: 'roots/list', params: {} }),
  ];
  expect(await stores.attemptStore.ask(fenceOf(task.id, 1), questions)).toEqual(
    new Map([
      ['b', ASKED],
      ['a', ASKED],
      ['c', ASKED],
    ]),
  );
  const pending = await stores.inputStore.pending(task.id, task.principalId);
  expect(pending).toEqual(
    questions.map((asked) => ({
      ...asked,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      eventId: expect.stringMatching(/^\d+$/),
      remoteTask: null,
    })),
  );
  expect(JSON.stringify(pending[0]?.params)).toBe(JSON.stringify(questions[0]?.params));
  const found = await stores.taskStore.find(task.id, task.principalId);
  expect(found).toMatchObject({ state: 'input_required' });
  expect(Date.now() - (found?.updatedAt.getTime() ?? 0)).toBeLessThan(600_000);
});

it('notes each question in the history by key and method only', async () => {
  const { task } = await asking(stores, ['colour', 'size']);
  const pending = await stores.inputStore.pending(task.id, task.principalId);
  const events = await stores.sql(
    "SELECT id::text AS id, attempt, data FROM task_events WHERE task_id = $1 AND kind = 'input_asked' ORDER BY id",
    [task.id],
  );
  expect(events).toEqual(
    pending.map(({ key, eventId }) => ({
      id: eventId,
      attempt: 1,
      data: { key, method: 'elicitation/create' },
    })),
  );
  expect(events).toHaveLength(2);
});

it('keeps the order of many questions asked at once', async () => {
  const keys = Array.from({ length: 300 }, (_, index) => `question-${(index * 7919) % 300}`);
  const { task } = await asking(stores, keys);
  expect(await pendingKeys(task)).toEqual(keys);
});

it('takes no questions for an answer', async () => {
  const task = await accepted(stores);
  await claimed(stores, task.id);
  expect(await stores.attemptStore.ask(fenceOf(task.id, 1), [])).toEqual(new Map());
  expect(await stateOf(stores, task.id)).toBe('working');
});

it('refuses questions of a stale attempt and of a task that is not held, and writes nothing', async () => {
  const task = await accepted(stores);
  const { attemptStore } = stores;
  expect(await attemptStore.ask(fenceOf(task.id, 0), [question('q')])).toBeNull();
  await claimed(stores, task.id);
  await nextAttempt(task.id);
  expect(await attemptStore.ask(fenceOf(task.id, 1), [question('q')])).toBeNull();
  await attemptStore.release(fenceOf(task.id, 2));
  expect(await attemptStore.ask(fenceOf(task.id, 2), [question('q')])).toBeNull();
  expect(await attemptStore.ask(fenceOf(newTaskId(), 1), [question('q')])).toBeNull();
  expect(await stores.sql('SELECT FROM input_requests WHERE task_id = $1', [task.id])).toEqual([]);
  expect(await stateOf(stores, task.id)).toBe('working');
});

it.each([
  [
    'finished',
    (id: string) => alter(stores, id as never, "finished_at = now(), state = 'cancelled'"),
  ],
  ['expired', (id: string) => alter(stores, id as never, 'expires_at = now()')],
  ['overdue', (id: string) => alter(stores, id as never, 'execution_deadline = now()')],
])('refuses questions of a %s task', async (_name, end) => {
  const task = await accepted(stores);
  await claimed(stores, task.id);
  await end(task.id);
  expect(await stores.attemptStore.ask(fenceOf(task.id, 1), [question('q')])).toBeNull();
});

it('takes the same question twice as one, and refuses its key for another', async () => {
  const { task } = await asking(stores, ['q']);
  const { attemptStore } = stores;
  expect(await attemptStore.ask(fenceOf(task.id, 1), [question('q')])).toEqual(
    new Map([['q', ASKED]]),
  );
  const others = [
    question('q', { params: { message: 'Another?' } }),
    question('q', { method: 'sampling/createMessage' }),
  ];
  for (const other of others) {
    expect(await attemptStore.ask(fenceOf(task.id, 1), [other, question('new')])).toEqual(
      new Map<string, AskedInput>([
        ['q', { kind: 'conflict' }],
        ['new', ASKED],
      ]),
    );
  }
  expect(await pendingKeys(task)).toEqual(['q', 'new']);
  expect(await stores.eventsOf(task.id)).toEqual([
    'created',
    'started',
    'input_asked',
    'input_asked',
  ]);
});

it('leaves a task working when all it asks has been answered or conflicts', async () => {
  const { task } = await asking(stores, ['q']);
  await stores.inputStore.answer(task.id, task.principalId, answersOf(['q', reply('yes')]));
  const asked = await stores.attemptStore.ask(fenceOf(task.id, 1), [question('q')]);
  expect(asked).toEqual(new Map([['q', { kind: 'answered', answer: reply('yes') }]]));
  await stores.attemptStore.ask(fenceOf(task.id, 1), [question('q', { params: {} })]);
  expect(await stateOf(stores, task.id)).toBe('working');
});

it('gives a later attempt the answers that are there, and lets it wait on for the rest', async () => {
  const { task } = await asking(stores, ['answered', 'open', 'dropped']);
  const before = await stores.inputStore.pending(task.id, task.principalId);
  await stores.inputStore.answer(task.id, task.principalId, answersOf(['answered', reply('1')]));
  const attempt = await nextAttempt(task.id);
  expect(await pendingKeys(task)).toEqual([]);
  const asked = await stores.attemptStore.ask(fenceOf(task.id, attempt), [
    question('answered'),
    question('open'),
    question('new'),
  ]);
  expect(asked).toEqual(
    new Map<string, AskedInput>([
      ['answered', { kind: 'answered', answer: reply('1') }],
      ['open', ASKED],
      ['new', ASKED],
    ]),
  );
  const pending = await stores.inputStore.pending(task.id, task.principalId);
  // The same row under the same id: a client that has seen the question needs not see it again.
  expect(pending).toEqual([before[1], expect.objectContaining({ key: 'new' })]);
  expect(await stateOf(stores, task.id)).toBe('input_required');
});

it('keeps an answer that comes between two attempts for the next one', async () => {
  const { task } = await asking(stores, ['q']);
  await stores.attemptStore.release(fenceOf(task.id, 1));
  expect(await pendingKeys(task)).toEqual([]);
  const [row] = await stores.sql<{ id: string }>(
    'SELECT id FROM input_requests WHERE task_id = $1',
    [task.id],
  );
  expect(await stores.inputStore.find(row?.id as never, task.principalId)).toMatchObject({
    taskId: task.id,
    input: { key: 'q' },
  });
  const answer = answersOf(['q', reply('early')]);
  expect(await stores.inputStore.answer(task.id, task.principalId, answer)).toMatchObject({
    keys: ['q'],
    workerId: null,
    task: { state: 'working' },
  });
  await claimed(stores, task.id);
  expect(await stores.attemptStore.ask(fenceOf(task.id, 2), [question('q')])).toEqual(
    new Map([['q', { kind: 'answered', answer: reply('early') }]]),
  );
});

it('reads the answers that are there', async () => {
  const { task } = await asking(stores, ['a', 'b', 'c']);
  const answers = answersOf(
    ['a', { kind: 'error', code: -1, message: 'User rejected sampling request' }],
    ['b', { kind: 'invalid', problem: 'content/size must be a number' }],
  );
  const read = (...keys: string[]) => stores.attemptStore.readAnswers(task.id, keys);
  expect(await read('a', 'b', 'c')).toEqual(new Map());
  await stores.inputStore.answer(task.id, task.principalId, answers);
  expect(await read('a', 'b', 'c', 'unknown')).toEqual(answers);
  expect((await read('b')).size).toBe(1);
  expect(await read()).toEqual(new Map());
});

it('times out what nobody answered, and returns what came in the last moment', async () => {
  const { task } = await asking(stores, ['late', 'never', 'patient']);
  await stores.inputStore.answer(task.id, task.principalId, answersOf(['late', reply('here')]));
  expect(
    await stores.attemptStore.timeOutInputs(fenceOf(task.id, 1), ['late', 'never', 'unknown']),
  ).toEqual(
    new Map([
      ['late', reply('here')],
      ['never', TIMEOUT],
    ]),
  );
  expect(await pendingKeys(task)).toEqual(['patient']);
  expect(await stateOf(stores, task.id)).toBe('input_required');
  await stores.attemptStore.timeOutInputs(fenceOf(task.id, 1), ['patient']);
  expect(await stateOf(stores, task.id)).toBe('working');
  expect((await stores.eventsOf(task.id)).slice(5)).toEqual([
    'input_answered',
    'input_timed_out',
    'input_timed_out',
  ]);
});

it('lets a stale attempt time nothing out', async () => {
  const { task } = await asking(stores, ['q']);
  const attempt = await nextAttempt(task.id);
  await stores.attemptStore.ask(fenceOf(task.id, attempt), [question('q')]);
  expect(await stores.attemptStore.timeOutInputs(fenceOf(task.id, 1), ['q'])).toEqual(new Map());
  expect(await pendingKeys(task)).toEqual(['q']);
});

type End = [string, (taskId: TaskId) => Promise<unknown>];

it.each<End>([
  ['finish', (taskId: TaskId) => stores.attemptStore.finish(finishOf(taskId, 1))],
  [
    'cancel',
    async (taskId: TaskId) => {
      const [row] = await stores.sql<{ principal_id: string }>(
        'SELECT principal_id FROM tasks WHERE id = $1',
        [taskId],
      );
      await stores.taskStore.cancel(taskId, row?.principal_id as never);
    },
  ],
  ['expiry', (taskId: TaskId) => alter(stores, taskId, 'expires_at = now()')],
  [
    'passed deadline',
    async (taskId: TaskId) => {
      await alter(stores, taskId, 'execution_deadline = now()');
      await stores.maintenanceStore.failOverdue(3, 100);
    },
  ],
])('has no pending questions after %s', async (_name, end) => {
  const { task } = await asking(stores, ['q']);
  const [input] = await stores.inputStore.pending(task.id, task.principalId);
  if (input === undefined) throw new Error('one question');
  await end(task.id);
  const { inputStore } = stores;
  expect(await inputStore.pending(task.id, task.principalId)).toEqual([]);
  expect(await inputStore.find(input.id, task.principalId)).toBeNull();
  expect(await inputStore.lease(task.id, task.principalId, newTaskId(), 1_000)).toEqual([]);
  const remote = { taskId: 't', status: 'working', pollIntervalMs: 1 } as const;
  expect(await inputStore.setRemoteTask(input.id, task.principalId, remote)).toBe(false);
  const answer = await inputStore.answer(task.id, task.principalId, answersOf(['q', reply('x')]));
  expect(answer.kind === 'not_found' || answer.keys.length === 0).toBe(true);
  expect(await stores.attemptStore.timeOutInputs(fenceOf(task.id, 1), ['q'])).toEqual(new Map());
});

it('has no pending questions after a retry until they are asked again', async () => {
  const { task } = await asking(stores, ['q']);
  await stores.attemptStore.retry(failedOf(task.id, 1, { error: 'no', retryInMs: 0 }));
  expect(await pendingKeys(task)).toEqual([]);
  expect(await stateOf(stores, task.id)).toBe('working');
  await claimed(stores, task.id);
  await stores.attemptStore.ask(fenceOf(task.id, 2), [question('q')]);
  expect(await pendingKeys(task)).toEqual(['q']);
});

it('deletes questions with their task', async () => {
  const { task } = await asking(stores, ['q']);
  await alter(stores, task.id, 'expires_at = now()');
  await stores.maintenanceStore.deleteExpired(1_000);
  expect(await stores.sql('SELECT FROM input_requests WHERE task_id = $1', [task.id])).toEqual([]);
  expect(await stores.eventsOf(task.id)).toEqual([]);
});
