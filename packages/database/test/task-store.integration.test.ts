import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  LongshoreError,
  type NewTask,
  type SessionId,
  type TaskStatus,
  toolErrorOutcome,
} from '@longshore/core';
import {
  accepted,
  alter,
  claimed,
  failedOf,
  finishOf,
  HOUR_MS,
  loseLease,
  newPrincipalId,
  newSessionId,
  newTask,
  newTaskId,
  RESULT,
} from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

let stores: TestStores;

beforeAll(async () => {
  stores = await openTestStores();
});
afterAll(() => stores.drop());

describe('tasks', () => {
  const row = async (id: string) =>
    (await stores.sql('SELECT * FROM tasks WHERE id = $1', [id]))[0];

  it('gives an accepted task back as it came', async () => {
    const task = newTask({ progressToken: 'token-1', era: 'modern', logLevel: 'debug' });
    const acceptance = await stores.taskStore.accept(task);
    if (acceptance.kind !== 'created') throw new Error('the task was there already');
    const { createdAt } = acceptance;
    expect(await stores.taskStore.find(task.id, task.principalId)).toEqual({
      id: task.id,
      listed: true,
      requestId: 17,
      logLevel: 'debug',
      sessionId: task.sessionId,
      era: 'modern',
      toolName: 'resize_images',
      progressToken: 'token-1',
      progress: null,
      statusMessage: null,
      isHeld: false,
      createdAt,
      updatedAt: createdAt,
      ttlMs: task.ttlMs,
      state: 'working',
    });
  });

  it('tells its owner, and nobody else, what has happened to a task', async () => {
    const task = await accepted(stores);
    await claimed(stores, task.id);
    const retry = failedOf(task.id, 1, { error: 'no paper', retryInMs: 60_000 });
    await stores.attemptStore.retry(retry);
    await alter(stores, task.id, 'run_after = NULL');
    await claimed(stores, task.id);
    const read = (owner = task.principalId, limit = 10) =>
      stores.taskStore.history(task.id, owner, limit);
    expect(await read()).toMatchObject({
      task: { id: task.id, isHeld: true },
      arguments: task.arguments,
      attempt: 2,
      lost: 0,
      lostBelow: 0,
      isLost: false,
      leaseLeftMs: expect.any(Number),
      events: [
        { kind: 'created', attempt: null },
        { kind: 'started', attempt: 1, data: { workerId: expect.any(String) } },
        { kind: 'retried', attempt: 1, data: { error: 'no paper', retryInMs: 60_000 } },
        { kind: 'started', attempt: 2, at: expect.any(Date) },
      ],
    });
    expect((await read(task.principalId, 1))?.events).toMatchObject([
      { kind: 'started', attempt: 2 },
    ]);
    await loseLease(stores, task.id);
    expect(await read()).toMatchObject({ task: { isHeld: false }, isLost: true });
    expect((await read())?.leaseLeftMs).toBeLessThanOrEqual(0);
    expect(await read(newPrincipalId())).toBeNull();
    const held = await accepted(stores, { listed: false });
    expect(await stores.taskStore.history(held.id, held.principalId, 10)).toBeNull();
  });

  it('takes every time from the clock of the database', async () => {
    const task = await accepted(stores, { ttlMs: 60_000, deadlineMs: 5_000 });
    const times = await stores.sql(
      `SELECT expires_at - created_at = interval '60 s' AS ttl, enqueued_at = created_at AS enqueued,
       execution_deadline - created_at = interval '5 s' AS deadline,
       abs(extract(epoch FROM now() - created_at)) < 60 AS is_now
     FROM tasks WHERE id = $1`,
      [task.id],
    );
    expect(times).toEqual([{ ttl: true, enqueued: true, deadline: true, is_now: true }]);
  });

  it('leaves a task for the relay when no job is added', async () => {
    const task = await accepted(stores, { enqueue: false, deadlineMs: null });
    expect(await row(task.id)).toMatchObject({ enqueued_at: null, execution_deadline: null });
  });

  it('keeps request ids 1 and "1" apart', async () => {
    const [number, text] = [
      await accepted(stores, { requestId: 1 }),
      await accepted(stores, { requestId: '1' }),
    ];
    expect(await row(number.id)).toMatchObject({ request_id: '1' });
    expect(await row(text.id)).toMatchObject({ request_id: '"1"' });
    const idOf = async (task: typeof text) =>
      (await stores.taskStore.find(task.id, task.principalId))?.requestId;
    expect([await idOf(number), await idOf(text)]).toEqual([1, '1']);
  });

  it('keeps arguments exactly: NUL, lone surrogates, key order, numeric keys', async () => {
    const task = await accepted(stores, {
      arguments: { z: 'a\0b', a: '\ud800', nested: { b: [1, null, 'é漢'], a: 1e-7 } },
    });
    const claim = await claimed(stores, task.id);
    expect(claim.arguments).toEqual(task.arguments);
    expect(JSON.stringify(claim.arguments)).toBe(JSON.stringify(task.arguments));
  });

  it('refuses NUL in a name with INVALID_PARAMS and accepts the tasks beside it', async () => {
    const good = [newTask(), newTask(), newTask()];
    const bad = newTask({ toolName: 'a\0b' });
    const answers = await Promise.allSettled(
      [...good, bad].map((task) => stores.taskStore.accept(task)),
    );
    expect(answers.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
    const reason = answers.flatMap((answer) => (answer.status === 'rejected' ? answer.reason : []));
    expect(reason).toEqual([expect.any(LongshoreError)]);
    expect(reason).toEqual([expect.objectContaining({ code: 'INVALID_PARAMS', retryable: false })]);
    expect(await stores.taskStore.find(bad.id, bad.principalId)).toBeNull();
  });

  it('stores a task that comes with its outcome as finished, with the error as status message', async () => {
    const outcome = toolErrorOutcome('width must be positive');
    const task = await accepted(stores, { outcome });
    const found = await stores.taskStore.findWithOutcome(task.id, task.principalId);
    expect(found).toMatchObject({
      task: {
        state: 'finished',
        outcomeKind: 'tool_error',
        statusMessage: 'width must be positive',
      },
      outcome,
    });
    expect(await stores.eventsOf(task.id)).toEqual(['created', 'finished']);
    expect(await row(task.id)).toMatchObject({ enqueued_at: null, finished_at: expect.any(Date) });
  });

  it('gives the outcome of a protocol error back', async () => {
    const outcome = { kind: 'error', error: { code: -32602, message: 'no', data: [1] } } as const;
    const task = await accepted(stores, {
      outcome: { ...outcome, error: { ...outcome.error, data: [1] } },
    });
    const found = await stores.taskStore.findWithOutcome(task.id, task.principalId);
    expect(found?.outcome).toEqual(outcome);
    expect(found?.task).toMatchObject({ outcomeKind: 'error', statusMessage: 'no' });
  });

  it('has no outcome for an open task', async () => {
    const task = await accepted(stores);
    const found = await stores.taskStore.findWithOutcome(task.id, task.principalId);
    expect(found).toMatchObject({ task: { id: task.id, state: 'working' }, outcome: null });
  });

  it('shows a call without a handle only with its outcome', async () => {
    const task = await accepted(stores, { listed: false });
    expect(await stores.taskStore.find(task.id, task.principalId)).toBeNull();
    expect(await stores.taskStore.list(task.principalId, 10, null)).toEqual([]);
    expect(await stores.taskStore.findWithOutcome(task.id, task.principalId)).not.toBeNull();
  });

  it.each([
    ['find', (id: string, owner: string) => stores.taskStore.find(id as never, owner as never)],
    [
      'findWithOutcome',
      (id: string, owner: string) => stores.taskStore.findWithOutcome(id as never, owner as never),
    ],
  ])('%s answers unknown, foreign and expired tasks alike', async (_name, find) => {
    const task = await accepted(stores, { outcome: RESULT });
    const expired = await accepted(stores, { outcome: RESULT });
    await alter(stores, expired.id, "expires_at = now() - interval '1 ms'");
    expect(await find(task.id, task.principalId)).not.toBeNull();
    expect(await find(newTaskId(), task.principalId)).toBeNull();
    expect(await find('not-a-uuid', task.principalId)).toBeNull();
    expect(await find(task.id, newPrincipalId())).toBeNull();
    expect(await find(expired.id, expired.principalId)).toBeNull();
  });

  it('lists newest first, page by page, without gap or repetition', async () => {
    const principalId = newPrincipalId();
    // Accepted together: one creation time, so only the id tells them apart.
    const twins = [1, 2, 3, 4].map(() => newTask({ principalId }));
    await Promise.all(twins.map((task) => stores.taskStore.accept(task)));
    const last = await accepted(stores, { principalId });
    const ids: string[] = [];
    let after: { createdAt: Date; id: (typeof last)['id'] } | null = null;
    for (let page = 0; page < 3; page += 1) {
      const tasks = await stores.taskStore.list(principalId, 2, after);
      ids.push(...tasks.map(({ id }) => id));
      after = tasks.at(-1) ?? after;
    }
    expect(ids[0]).toBe(last.id);
    expect(ids.slice(1)).toEqual(
      twins
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
    expect(await stores.taskStore.list(principalId, 2, after)).toEqual([]);
  });

  it('lists neither foreign nor expired tasks', async () => {
    const mine = await accepted(stores);
    const expired = await accepted(stores, { principalId: mine.principalId });
    await alter(stores, expired.id, "expires_at = now() - interval '1 ms'");
    await accepted(stores);
    const listed = await stores.taskStore.list(mine.principalId, 10, null);
    expect(listed.map(({ id }) => id)).toEqual([mine.id]);
  });

  it('lists the tasks of one status, page by page', async () => {
    const principalId = newPrincipalId();
    const outcomes = [null, RESULT, toolErrorOutcome('no'), RESULT];
    const made = [];
    for (const outcome of outcomes) made.push(await accepted(stores, { principalId, outcome }));
    const cancelled = await accepted(stores, { principalId });
    await stores.taskStore.cancel(cancelled.id, principalId);
    const [open, first, failed, second] = made.map(({ id }) => id);
    const listed = async (status: TaskStatus, after: NewTask | null = null) => {
      const place = after && (await stores.taskStore.find(after.id, principalId));
      const tasks = await stores.taskStore.list(principalId, 10, place, status);
      return tasks.map(({ id }) => id);
    };
    expect(await listed('working')).toEqual([open]);
    expect(await listed('input_required')).toEqual([]);
    expect(await listed('completed')).toEqual([second, first]);
    expect(await listed('completed', made[3])).toEqual([first]);
    expect(await listed('failed')).toEqual([failed]);
    expect(await listed('cancelled')).toEqual([cancelled.id]);
  });

  it('cancels an open task that nobody runs', async () => {
    const task = await accepted(stores);
    expect(await stores.taskStore.cancel(task.id, task.principalId)).toMatchObject({
      kind: 'cancelled',
      task: { id: task.id, state: 'cancelled' },
      workerId: null,
      queue: 'images',
    });
    expect(await stores.eventsOf(task.id)).toEqual(['created', 'cancelled']);
    expect(await row(task.id)).toMatchObject({ finished_at: expect.any(Date), outcome_kind: null });
  });

  it('names the worker whose lease lasts, and none whose lease ran out', async () => {
    const [running, lost] = [await accepted(stores), await accepted(stores)];
    await claimed(stores, running.id);
    await claimed(stores, lost.id);
    const { claimed_by: worker } = (await row(running.id)) ?? {};
    await alter(stores, lost.id, "lease_expires_at = now() - interval '1 ms'");
    expect(await stores.taskStore.cancel(running.id, running.principalId)).toMatchObject({
      kind: 'cancelled',
      workerId: worker,
    });
    expect(await stores.taskStore.cancel(lost.id, lost.principalId)).toMatchObject({
      kind: 'cancelled',
      workerId: null,
    });
  });

  it('cancels once: the second time the task has ended', async () => {
    const task = await accepted(stores);
    await stores.taskStore.cancel(task.id, task.principalId);
    expect(await stores.taskStore.cancel(task.id, task.principalId)).toMatchObject({
      kind: 'already_terminal',
      task: { state: 'cancelled' },
    });
    expect(await stores.eventsOf(task.id)).toEqual(['created', 'cancelled']);
  });

  it('cancels neither unknown, foreign, expired tasks nor calls without a handle', async () => {
    const task = await accepted(stores);
    const expired = await accepted(stores);
    await alter(stores, expired.id, "expires_at = now() - interval '1 ms'");
    const held = await accepted(stores, { listed: false });
    const answers = await Promise.all([
      stores.taskStore.cancel(newTaskId(), task.principalId),
      stores.taskStore.cancel('nonsense' as never, task.principalId),
      stores.taskStore.cancel(task.id, newPrincipalId()),
      stores.taskStore.cancel(expired.id, expired.principalId),
      stores.taskStore.cancel(held.id, held.principalId),
    ]);
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set(['{"kind":"not_found"}']),
    );
    expect(await row(task.id)).toMatchObject({ state: 'working' });
  });

  it("cancels the held call of a session's request, and no other", async () => {
    const held = await accepted(stores, { listed: false, requestId: 'r-1' });
    const other = await accepted(stores, {
      listed: false,
      requestId: 'r-2',
      sessionId: held.sessionId,
      principalId: held.principalId,
    });
    if (held.sessionId === null) throw new Error('the factory gives a session');
    const { sessionId, principalId } = held;
    const notFound = { kind: 'not_found' };
    const cancel = (owner: typeof principalId, id: string | number) =>
      stores.taskStore.cancelRequest(sessionId, owner, id);
    expect(await cancel(newPrincipalId(), 'r-1')).toEqual(notFound);
    expect(await cancel(principalId, 'r-3')).toEqual(notFound);
    expect(await cancel(principalId, 'r-1')).toMatchObject({
      kind: 'cancelled',
      task: { id: held.id, state: 'cancelled' },
    });
    expect(await cancel(principalId, 'r-1')).toEqual(notFound);
    expect(await row(other.id)).toMatchObject({ state: 'working' });
  });

  it('lets a request cancel no task that has a handle', async () => {
    const task = await accepted(stores, { requestId: 5 });
    if (task.sessionId === null) throw new Error('the factory gives a session');
    expect(await stores.taskStore.cancelRequest(task.sessionId, task.principalId, 5)).toEqual({
      kind: 'not_found',
    });
  });

  it('lets a task live as long as its ttl says and no longer', async () => {
    const task = await accepted(stores, { ttlMs: HOUR_MS });
    await alter(stores, task.id, "expires_at = now() + interval '1 minute'");
    expect(await stores.taskStore.find(task.id, task.principalId)).not.toBeNull();
    await alter(stores, task.id, 'expires_at = now()');
    expect(await stores.taskStore.find(task.id, task.principalId)).toBeNull();
  });
});

describe('what changed', () => {
  const BEGIN = new Date(0);

  const changedAgo = (task: NewTask, interval: string) =>
    alter(stores, task.id, `updated_at = now() - interval '${interval}'`);

  /** Three tasks of one session that changed three, one and two hours ago. */
  const session = async () => {
    const sessionId = newSessionId();
    const principalId = newPrincipalId();
    const tasks = await Promise.all(
      [1, 2, 3].map(() => accepted(stores, { sessionId, principalId })),
    );
    const [oldest, newest, middle] = tasks;
    if (!(oldest && newest && middle)) throw new Error('three tasks');
    await changedAgo(oldest, '3 hours');
    await changedAgo(newest, '1 hour');
    await changedAgo(middle, '2 hours');
    const changed = async (
      since: Date,
      limit = 10,
      id: SessionId = sessionId,
      owner = principalId,
    ) => (await stores.taskStore.changedSince(id, owner, since, limit)).map((task) => task.id);
    return { sessionId, principalId, oldest, newest, middle, changed };
  };

  it('reads the tasks that changed after an instant, oldest change first', async () => {
    const { oldest, newest, middle, principalId, changed } = await session();
    expect(await changed(BEGIN)).toEqual([oldest.id, middle.id, newest.id]);
    expect(await changed(BEGIN, 2)).toEqual([oldest.id, middle.id]);
    const seen = await stores.taskStore.find(middle.id, principalId);
    if (seen === null) throw new Error('it is there');
    expect(await changed(seen.updatedAt)).toEqual([newest.id]);
    expect(await changed(new Date(seen.updatedAt.getTime() - 1))).toEqual([middle.id, newest.id]);
  });

  it('reads neither other sessions, nor other owners, nor expired tasks, nor calls without a handle', async () => {
    const { oldest, newest, middle, sessionId, principalId, changed } = await session();
    await accepted(stores, { sessionId: newSessionId(), principalId });
    await accepted(stores, { sessionId, principalId: newPrincipalId() });
    await accepted(stores, { sessionId, principalId, listed: false });
    await alter(stores, middle.id, 'expires_at = now()');
    expect(await changed(BEGIN)).toEqual([oldest.id, newest.id]);
    expect(await changed(BEGIN, 10, newSessionId())).toEqual([]);
    expect(await changed(BEGIN, 10, sessionId, newPrincipalId())).toEqual([]);
    expect(await changed(BEGIN, 10, 'nonsense' as never)).toEqual([]);
  });

  it("looks at the owner's newest 1,000 tasks", async () => {
    const { oldest, sessionId, principalId, changed } = await session();
    await stores.sql(
      `INSERT INTO tasks (id, principal_id, auth_binding_id, session_id, era, request_method, request_id,
       listed, tool_name, arguments, queue, state, max_attempts, timeout_ms, created_at, updated_at)
     SELECT gen_random_uuid(), $1, gen_random_uuid(), NULL, 'legacy', 'tools/call', '1', true, 'tool',
       '{}', 'q', 'working', 1, 1, now() + interval '1 hour', now()
     FROM generate_series(1, 998)`,
      [principalId],
    );
    await alter(stores, oldest.id, "created_at = now() + interval '1 minute'");
    expect(await changed(BEGIN)).toHaveLength(2);
    expect((await changed(BEGIN))[0]).toBe(oldest.id);
    await accepted(stores, { sessionId, principalId });
    expect(await changed(BEGIN)).toHaveLength(2);
  });
});

describe('held calls', () => {
  /* Calls without a handle: a client waits for the answer, and may get a handle after all. */

  const NOT_FOUND = { kind: 'not_found' };
  const held = (changes: Partial<NewTask> = {}) => accepted(stores, { listed: false, ...changes });
  const promote = (task: NewTask) => stores.taskStore.promote(task.id, task.principalId, 'maker');

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

  it.each([
    ['maker', null],
    ['other', 'mine'],
  ] as const)('ends the progress token with the request of its %s', async (by, left) => {
    const call = await held({ progressToken: 'mine' });
    const promoted = await stores.taskStore.promote(call.id, call.principalId, by);
    expect(promoted?.progressToken).toBe(left);
  });

  it('gives one handle to one of many who ask at once', async () => {
    const call = await held();
    const answers = await Promise.all([1, 2, 3, 4].map(() => promote(call)));
    expect(answers.filter((task) => task !== null)).toHaveLength(1);
  });

  it('gives a call that has ended a handle too, with its end', async () => {
    const call = await held();
    await claimed(stores, call.id);
    await stores.attemptStore.finish(finishOf(call.id, 1));
    expect(await promote(call)).toMatchObject({ listed: true, state: 'finished' });
  });

  it('leaves the attempt that runs a call alone when it gets a handle', async () => {
    const call = await held();
    await claimed(stores, call.id);
    await promote(call);
    expect(await stores.attemptStore.finish(finishOf(call.id, 1))).toBe(true);
  });

  it('gives no handle to strangers, and none for unknown, expired and listed calls', async () => {
    const [call, expired, listed] = [await held(), await held(), await accepted(stores)];
    await alter(stores, expired.id, 'expires_at = now()');
    const { taskStore } = stores;
    expect(await taskStore.promote(call.id, newPrincipalId(), 'maker')).toBeNull();
    expect(await taskStore.promote(newTaskId(), call.principalId, 'maker')).toBeNull();
    expect(await taskStore.promote('nonsense' as never, call.principalId, 'maker')).toBeNull();
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
});
