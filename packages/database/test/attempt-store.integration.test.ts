import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { NO_ABILITIES, type TaskId } from '@longshore/core';
import {
  accepted,
  alter,
  claimed,
  claimTask,
  failedOf,
  fenceOf,
  finishOf,
  HOUR_MS,
  LEASE_MS,
  loseLease,
  newTaskId,
  newWorkerId,
  RESULT,
} from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

let stores: TestStores;

beforeAll(async () => {
  stores = await openTestStores();
});

afterAll(async () => {
  await stores.drop();
});

const row = async (id: string) => (await stores.sql('SELECT * FROM tasks WHERE id = $1', [id]))[0];

/** Nothing that this attempt writes counts any more. */
async function expectRefused(taskId: TaskId, attempt: number): Promise<void> {
  const { attemptStore: attempts } = stores;
  expect(await attempts.finish(finishOf(taskId, attempt))).toBe(false);
  expect(await attempts.retry(failedOf(taskId, attempt, { error: 'late', retryInMs: 1 }))).toBe(
    false,
  );
  expect(await attempts.release(fenceOf(taskId, attempt))).toBe(false);
  expect(await attempts.setCheckpoint(fenceOf(taskId, attempt), 'key', 1)).toBe(false);
}

it('claims an open task with all that a worker needs', async () => {
  const abilities = { ...NO_ABILITIES, elicitation: { form: true, url: false }, roots: true };
  const task = await accepted(stores, {
    requestMethod: 'prompts/get',
    toolFingerprint: 'of resize_images',
    progressToken: 7,
    maxAttempts: 5,
    abilities,
    logLevel: 'notice',
  });
  const workerId = newWorkerId();
  expect(await claimed(stores, task.id, workerId)).toEqual({
    taskId: task.id,
    attempt: 1,
    workerId,
    failures: 0,
    maxAttempts: 5,
    principalId: task.principalId,
    sessionId: task.sessionId,
    parentTaskId: null,
    requestMethod: 'prompts/get',
    toolName: 'resize_images',
    toolFingerprint: 'of resize_images',
    arguments: task.arguments,
    abilities,
    logLevel: 'notice',
    queue: task.queue,
    progressToken: 7,
    traceContext: null,
    waitedMs: expect.any(Number),
    isTakenOver: false,
    progress: null,
    timeoutMs: 600_000,
    deadline: expect.any(Date),
  });
  expect(await row(task.id)).toMatchObject({ claimed_by: workerId, started_at: expect.any(Date) });
  expect(await stores.eventsOf(task.id)).toEqual(['created', 'started']);
});

it('refuses a claim while the lease lasts and says how long', async () => {
  const task = await accepted(stores);
  await claimed(stores, task.id);
  await alter(stores, task.id, "lease_expires_at = now() + interval '20 s'");
  const outcome = await claimTask(stores, task.id);
  expect(outcome).toEqual({ kind: 'not_yet', retryInMs: expect.any(Number) });
  if (outcome.kind !== 'not_yet') throw new Error('unreachable');
  expect(outcome.retryInMs).toBeGreaterThan(0);
  expect(outcome.retryInMs).toBeLessThanOrEqual(20_000);
});

it('hands a task over when its lease has run out, and counts the lost attempt', async () => {
  const task = await accepted(stores);
  expect(await claimed(stores, task.id)).toMatchObject({ attempt: 1, isTakenOver: false });
  await loseLease(stores, task.id);
  const second = await claimed(stores, task.id);
  expect(second).toMatchObject({ attempt: 2, failures: 0, isTakenOver: true });
  expect(await row(task.id)).toMatchObject({ lost: 1, attempt: 2 });
  await stores.attemptStore.release(second);
  expect(await claimed(stores, task.id)).toMatchObject({ attempt: 3, isTakenOver: false });
});

it('says how long a task has waited, once', async () => {
  const task = await accepted(stores);
  await alter(stores, task.id, "created_at = now() - interval '1 hour'");
  const first = await claimed(stores, task.id);
  expect(first.waitedMs).toBeGreaterThanOrEqual(3_600_000);
  await stores.attemptStore.release(first);
  expect(await claimed(stores, task.id)).toMatchObject({ waitedMs: null });
});

it('takes a task from a worker that does not know of it, and from no other', async () => {
  const [unknown, running, other] = [
    await accepted(stores),
    await accepted(stores),
    await accepted(stores),
  ];
  const workerId = newWorkerId();
  await claimed(stores, unknown.id, workerId);
  await claimed(stores, running.id, workerId);
  await claimed(stores, other.id);
  await stores.attemptStore.releaseUnconfirmed(unknown.id, workerId, null);
  await stores.attemptStore.releaseUnconfirmed(running.id, workerId, 1);
  await stores.attemptStore.releaseUnconfirmed(other.id, workerId, null);
  expect(await stores.eventsOf(unknown.id)).toEqual(['created', 'started', 'released']);
  for (const { id } of [running, other]) expect((await claimTask(stores, id)).kind).toBe('not_yet');
  expect((await claimTask(stores, unknown.id)).kind).toBe('claimed');
  expect(await row(unknown.id)).toMatchObject({ attempt: 2, lost: 0 });
});

it('refuses a retry that is not due, and gives one that is', async () => {
  const task = await accepted(stores);
  await claimed(stores, task.id);
  const failed = failedOf(task.id, 1, { error: 'no route', retryInMs: 60_000 });
  expect(await stores.attemptStore.retry(failed)).toBe(true);
  const outcome = await claimTask(stores, task.id);
  expect(outcome.kind).toBe('not_yet');
  if (outcome.kind !== 'not_yet') throw new Error('unreachable');
  expect(outcome.retryInMs).toBeGreaterThan(1_000);
  expect(outcome.retryInMs).toBeLessThanOrEqual(60_000);
  await alter(stores, task.id, 'run_after = now()');
  expect(await claimed(stores, task.id)).toMatchObject({ attempt: 2, failures: 1 });
});

it('keeps the text of the error with the retry, bounded, with NUL written out', async () => {
  const task = await accepted(stores);
  await claimed(stores, task.id);
  const error = `a\0${'x'.repeat(10_000)}`;
  await stores.attemptStore.retry(failedOf(task.id, 1, { error, retryInMs: 5 }));
  const events = await stores.sql<{ data: { error: string; retryInMs: number }; attempt: number }>(
    "SELECT data, attempt FROM task_events WHERE task_id = $1 AND kind = 'retried'",
    [task.id],
  );
  expect(events).toMatchObject([{ attempt: 1, data: { retryInMs: 5 } }]);
  expect(events[0]?.data.error.slice(0, 8)).toBe('a\\u0000x');
  expect(events[0]?.data.error).toHaveLength(4_096);
});

it.each([
  ['finished', 'gone'],
  ['cancelled', 'gone'],
])('answers a claim of a %s task with %s', async (state, kind) => {
  const task = await accepted(stores, state === 'finished' ? { outcome: RESULT } : {});
  if (state === 'cancelled') await stores.taskStore.cancel(task.id, task.principalId);
  expect(await claimTask(stores, task.id)).toEqual({ kind });
});

it('answers a claim of an unknown task with gone', async () => {
  expect(await claimTask(stores, newTaskId())).toEqual({ kind: 'gone' });
  expect(await claimTask(stores, 'nonsense' as TaskId)).toEqual({ kind: 'gone' });
});

it.each(['expires_at', 'execution_deadline'])('claims until %s and not after', async (column) => {
  const [before, after] = [await accepted(stores), await accepted(stores)];
  await alter(stores, before.id, `${column} = now() + interval '1 minute'`);
  await alter(stores, after.id, `${column} = now()`);
  expect((await claimTask(stores, before.id)).kind).toBe('claimed');
  expect((await claimTask(stores, after.id)).kind).toBe('gone');
});

it('hands out progress of an earlier attempt', async () => {
  const task = await accepted(stores);
  const workerId = newWorkerId();
  await claimed(stores, task.id, workerId);
  const progress = { progress: 3, total: 10, message: 'three' };
  const report = { taskId: task.id, attempt: 1, progress, statusMessage: null };
  await stores.attemptStore.heartbeat(workerId, LEASE_MS, [report]);
  await loseLease(stores, task.id);
  expect((await claimed(stores, task.id)).progress).toEqual(progress);
});

it('renews with one heartbeat what the worker still holds', async () => {
  const workerId = newWorkerId();
  const tasks = await Promise.all([1, 2, 3, 4, 5, 6].map(() => accepted(stores)));
  await Promise.all(tasks.map(({ id }) => claimed(stores, id, workerId)));
  const [held, cancelled, late, expired, taken, lapsed] = tasks.map(({ id }) => id);
  if (!(held && cancelled && late && expired && taken && lapsed)) throw new Error('six tasks');
  await stores.taskStore.cancel(cancelled, tasks[1]?.principalId ?? (newTaskId() as never));
  await alter(stores, late, 'execution_deadline = now()');
  await alter(stores, expired, 'expires_at = now()');
  await loseLease(stores, taken);
  await claimed(stores, taken);
  await loseLease(stores, lapsed);
  const reports = tasks.map(({ id }) => ({
    taskId: id,
    attempt: 1,
    progress: null,
    statusMessage: null,
  }));
  expect(await stores.attemptStore.heartbeat(workerId, HOUR_MS, reports)).toEqual({
    held: new Set([held, lapsed]),
    cancelled: new Set([cancelled]),
  });
  const leases = await stores.sql<{ id: string }>(
    "SELECT id FROM tasks WHERE claimed_by = $1 AND lease_expires_at > now() + interval '59 min'",
    [workerId],
  );
  expect(new Set(leases.map(({ id }) => id))).toEqual(new Set([held, lapsed]));
});

it('refuses a heartbeat of another worker and of a wrong attempt', async () => {
  const task = await accepted(stores);
  const workerId = newWorkerId();
  await claimed(stores, task.id, workerId);
  const report = { taskId: task.id, attempt: 1, progress: null, statusMessage: null };
  const beat = stores.attemptStore;
  const nothing = { held: new Set(), cancelled: new Set() };
  expect(await beat.heartbeat(newWorkerId(), LEASE_MS, [report])).toEqual(nothing);
  expect(await beat.heartbeat(workerId, LEASE_MS, [{ ...report, attempt: 2 }])).toEqual(nothing);
  expect(await beat.heartbeat(workerId, LEASE_MS, [])).toEqual(nothing);
  expect(await beat.heartbeat(workerId, LEASE_MS, [report])).toEqual({
    ...nothing,
    held: new Set([task.id]),
  });
});

it('never lets progress go down, and keeps text that no one replaced', async () => {
  const task = await accepted(stores);
  const workerId = newWorkerId();
  await claimed(stores, task.id, workerId);
  const beat = (progress: number, message: string | null, statusMessage: string | null) =>
    stores.attemptStore.heartbeat(workerId, LEASE_MS, [
      { taskId: task.id, attempt: 1, progress: { progress, total: 9, message }, statusMessage },
    ]);
  const seen = async () => {
    const found = await stores.taskStore.find(task.id, task.principalId);
    return [found?.progress?.progress, found?.progress?.message, found?.statusMessage];
  };
  await beat(-1, 'below zero', null);
  expect(await seen()).toEqual([-1, 'below zero', null]);
  await beat(2, 'two', 'working on it');
  expect(await seen()).toEqual([2, 'two', 'working on it']);
  await beat(2, 'again two', null);
  await beat(1, 'one', null);
  await beat(Number.NaN, 'nothing', null);
  expect(await seen()).toEqual([2, 'two', 'working on it']);
  await beat(2.5, null, 'a\0b');
  expect(await seen()).toEqual([2.5, null, 'a\\u0000b']);
});

it('leaves updatedAt alone when a heartbeat has no news', async () => {
  const task = await accepted(stores);
  const workerId = newWorkerId();
  await claimed(stores, task.id, workerId);
  await alter(stores, task.id, "updated_at = now() - interval '1 hour'");
  const before = await stores.taskStore.find(task.id, task.principalId);
  const report = { taskId: task.id, attempt: 1, progress: null, statusMessage: null };
  await stores.attemptStore.heartbeat(workerId, LEASE_MS, [report]);
  const quiet = await stores.taskStore.find(task.id, task.principalId);
  expect(quiet?.updatedAt).toEqual(before?.updatedAt);
  await stores.attemptStore.heartbeat(workerId, LEASE_MS, [{ ...report, statusMessage: 'news' }]);
  const loud = await stores.taskStore.find(task.id, task.principalId);
  expect(loud?.updatedAt.getTime()).toBeGreaterThan(before?.updatedAt.getTime() ?? 0);
});

it('finishes a task with outcome, progress and status message at once', async () => {
  const task = await accepted(stores);
  await claimed(stores, task.id);
  const outcome = {
    kind: 'result',
    isError: true,
    result: { content: [{ type: 'text', text: 'NUL \0 stays in a result' }], isError: true },
  } as const;
  const written = await stores.attemptStore.finish({
    ...fenceOf(task.id, 1),
    outcome: { ...outcome, result: { ...outcome.result, content: [...outcome.result.content] } },
    toolVersion: '1.2.3 \0',
    progress: { progress: 10, total: 10, message: null },
    statusMessage: 'went wrong',
  });
  expect(written).toBe(true);
  expect(await stores.taskStore.findWithOutcome(task.id, task.principalId)).toMatchObject({
    task: {
      state: 'finished',
      outcomeKind: 'tool_error',
      statusMessage: 'went wrong',
      progress: { progress: 10, total: 10 },
    },
    outcome,
  });
  expect(await stores.eventsOf(task.id)).toEqual(['created', 'started', 'finished']);
  expect(await row(task.id)).toMatchObject({ claimed_by: null, finished_at: expect.any(Date) });
});

it('takes the outcome of a worker whose lease ran out while nobody else came', async () => {
  const task = await accepted(stores);
  await claimed(stores, task.id);
  await loseLease(stores, task.id);
  expect(await stores.attemptStore.finish(finishOf(task.id, 1))).toBe(true);
});

it('fences off an attempt once a later one has started', async () => {
  const task = await accepted(stores);
  await claimed(stores, task.id);
  await loseLease(stores, task.id);
  await claimed(stores, task.id);
  const { attemptStore: attempts } = stores;
  await expectRefused(task.id, 1);
  expect(await row(task.id)).toMatchObject({ attempt: 2, failures: 0, state: 'working' });
  expect(await attempts.getCheckpoint(task.id, 'key')).toBeNull();
  expect(await attempts.finish(finishOf(task.id, 2))).toBe(true);
  expect(await stores.sql('SELECT FROM task_results WHERE task_id = $1', [task.id])).toHaveLength(
    1,
  );
});

it.each(['finish', 'retry', 'release'] as const)('ends an attempt once: a %s', async (how) => {
  const task = await accepted(stores);
  await claimed(stores, task.id);
  const { attemptStore: attempts } = stores;
  const end = () => {
    if (how === 'finish') return attempts.finish(finishOf(task.id, 1));
    if (how === 'release') return attempts.release(fenceOf(task.id, 1));
    return attempts.retry(failedOf(task.id, 1, { error: 'e', retryInMs: 1 }));
  };
  expect([await end(), await end()]).toEqual([true, false]);
  const past = { finish: 'finished', retry: 'retried', release: 'released' }[how];
  expect(await stores.eventsOf(task.id)).toEqual(['created', 'started', past]);
});

it('gives a released task back at once, counted neither as failed nor as lost', async () => {
  const task = await accepted(stores);
  await claimed(stores, task.id);
  expect(await stores.attemptStore.release(fenceOf(task.id, 1))).toBe(true);
  expect(await claimed(stores, task.id)).toMatchObject({ attempt: 2, failures: 0 });
  expect(await row(task.id)).toMatchObject({ lost: 0 });
});

it('keeps a cancelled task cancelled, whatever its worker still writes', async () => {
  const task = await accepted(stores);
  const workerId = newWorkerId();
  await claimed(stores, task.id, workerId);
  await stores.taskStore.cancel(task.id, task.principalId);
  const before = await row(task.id);
  const { attemptStore: attempts } = stores;
  await expectRefused(task.id, 1);
  expect(
    await attempts.heartbeat(workerId, LEASE_MS, [
      { taskId: task.id, attempt: 1, progress: null, statusMessage: 'late' },
    ]),
  ).toEqual({ held: new Set(), cancelled: new Set([task.id]) });
  expect(await row(task.id)).toEqual(before);
  expect(await stores.sql('SELECT FROM task_results WHERE task_id = $1', [task.id])).toEqual([]);
});

it('keeps checkpoints over attempts, the latest value of each key', async () => {
  const task = await accepted(stores);
  await claimed(stores, task.id);
  const { attemptStore: attempts } = stores;
  expect(await attempts.getCheckpoint(task.id, 'page')).toBeNull();
  expect(await attempts.setCheckpoint(fenceOf(task.id, 1), 'page', { next: 'a\0b' })).toBe(true);
  await loseLease(stores, task.id);
  await claimed(stores, task.id);
  expect(await attempts.getCheckpoint(task.id, 'page')).toEqual({ next: 'a\0b' });
  expect(await attempts.setCheckpoint(fenceOf(task.id, 2), 'page', [1, 2])).toBe(true);
  expect(await attempts.setCheckpoint(fenceOf(task.id, 2), 'other', false)).toBe(true);
  expect(await attempts.getCheckpoint(task.id, 'page')).toEqual([1, 2]);
  expect(await attempts.getCheckpoint(task.id, 'other')).toBe(false);
});

it('refuses NUL in the key of a checkpoint with INVALID_PARAMS', async () => {
  const task = await accepted(stores);
  await claimed(stores, task.id);
  const { attemptStore: attempts } = stores;
  const refused = { code: 'INVALID_PARAMS' };
  await expect(attempts.setCheckpoint(fenceOf(task.id, 1), 'a\0b', 1)).rejects.toMatchObject(
    refused,
  );
  await expect(attempts.getCheckpoint(task.id, 'a\0b')).rejects.toMatchObject(refused);
});
