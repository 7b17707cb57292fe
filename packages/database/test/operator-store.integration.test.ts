import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  AUDIT_TARGET_KINDS,
  CHUNK_METHOD,
  type NewTask,
  type PrincipalId,
  type TaskId,
  type TaskSearch,
  toolErrorOutcome,
} from '@longshore/core';
import pg from 'pg';
import { firstId } from '../src/rows/first-id.ts';
import {
  accepted,
  alter,
  claimed,
  failedOf,
  finishOf,
  loseLease,
  newPrincipalId,
  newWorkerId,
} from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

let stores: TestStores;

beforeAll(async () => {
  stores = await openTestStores();
});
afterAll(() => stores.drop());
beforeEach(() => stores.empty());

const ALL: TaskSearch = {
  owner: null,
  phases: null,
  tools: null,
  queues: null,
  worker: null,
  parent: null,
  createdAfter: null,
  createdBefore: null,
  text: null,
};

let made = 0;
/** An id as the API makes them, each later than the one before. */
function nextId(): TaskId {
  made += 1;
  return `${firstId(new Date(), made).slice(0, 14)}7${randomUUID().slice(15)}` as TaskId;
}

const accept = (changes: Partial<NewTask> = {}): Promise<NewTask> =>
  accepted(stores, { id: nextId(), ...changes });

async function found(search: Partial<TaskSearch>, limit = 50): Promise<string[]> {
  const { tasks } = await stores.operatorStore.search({ ...ALL, ...search }, limit, null);
  return tasks.map(({ id }) => id);
}

describe('a search', () => {
  it('finds tasks of everybody, the newest first, page by page', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 7; n += 1) ids.unshift((await accept()).id);
    const first = await stores.operatorStore.search(ALL, 3, null);
    expect(first.tasks.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    const second = await stores.operatorStore.search(ALL, 3, first.next);
    expect(second.tasks.map(({ id }) => id)).toEqual(ids.slice(3, 6));
    const third = await stores.operatorStore.search(ALL, 3, second.next);
    expect(third.tasks.map(({ id }) => id)).toEqual(ids.slice(6));
    expect(third).toMatchObject({ next: null, isCut: false });
  });

  it('finds what an owner has a handle of, and nothing of others', async () => {
    const owner = newPrincipalId();
    const mine = await accept({ principalId: owner });
    await accept({ principalId: owner, listed: false });
    await accept();
    expect(await found({ owner })).toEqual([mine.id]);
    expect(await found({ owner, phases: ['ready'] })).toEqual([mine.id]);
    expect(await found({ owner: newPrincipalId() })).toEqual([]);
  });

  it('tells the phases apart', async () => {
    const waiting = await accept({ enqueue: false });
    const ready = await accept();
    const running = await accept();
    await claimed(stores, running.id);
    const lost = await accept();
    await claimed(stores, lost.id);
    await loseLease(stores, lost.id);
    const retrying = await accept();
    const { attempt } = await claimed(stores, retrying.id);
    await stores.attemptStore.retry(failedOf(retrying.id, attempt, { retryInMs: 60_000 }));
    const completed = await accept();
    await claimed(stores, completed.id);
    await stores.attemptStore.finish(finishOf(completed.id, 1));
    const failed = await accept({ outcome: toolErrorOutcome('no') });
    const cancelled = await accept();
    await stores.taskStore.cancel(cancelled.id, cancelled.principalId);
    const asking = await accept();
    await alter(stores, asking.id, "state = 'input_required'");

    expect(await found({ phases: ['waiting'] })).toEqual([waiting.id]);
    expect(await found({ phases: ['ready'] })).toEqual([lost.id, ready.id]);
    expect(await found({ phases: ['running'] })).toEqual([running.id]);
    expect(await found({ phases: ['retrying'] })).toEqual([retrying.id]);
    expect(await found({ phases: ['input_required'] })).toEqual([asking.id]);
    expect(await found({ phases: ['completed'] })).toEqual([completed.id]);
    expect(await found({ phases: ['failed'] })).toEqual([failed.id]);
    expect(await found({ phases: ['cancelled'] })).toEqual([cancelled.id]);
    expect(await found({ phases: ['running', 'failed'] })).toEqual([failed.id, running.id]);
  });

  it('narrows by tool, queue, worker, time and text at once', async () => {
    const workerId = newWorkerId();
    const wanted = await accept({
      toolName: 'ocr',
      queue: 'gpu',
      arguments: { page: '100%_Sure\\' },
    });
    await claimed(stores, wanted.id, workerId);
    const other = await accept({
      toolName: 'ocr',
      queue: 'cpu',
      arguments: { page: '100XXSure\\' },
    });
    expect(await found({ tools: ['ocr'] })).toEqual([other.id, wanted.id]);
    expect(await found({ tools: ['ocr', 'x'], queues: ['gpu'] })).toEqual([wanted.id]);
    expect(await found({ worker: workerId })).toEqual([wanted.id]);
    expect(await found({ text: '100%_sure' })).toEqual([wanted.id]);
    expect(await found({ tools: ['ocr'], text: 'nowhere' })).toEqual([]);
    const past = new Date(Date.now() - 3_600_000);
    expect(await found({ createdBefore: past })).toEqual([]);
    expect(
      await found({ createdAfter: past, createdBefore: new Date(Date.now() + 60_000) }),
    ).toEqual([other.id, wanted.id]);
  });

  it('finds what a task has called, but not its chunks, and only for its owner', async () => {
    const parent = await accept();
    const child = await accept({ principalId: parent.principalId, listed: false });
    const chunk = await accept({ principalId: parent.principalId, listed: false });
    await alter(stores, child.id, `parent_task_id = '${parent.id}'`);
    await alter(
      stores,
      chunk.id,
      `parent_task_id = '${parent.id}', request_method = '${CHUNK_METHOD}'`,
    );
    // Its id says nothing of its time: it is the newer one by its clock alone.
    const newer = await accept({ principalId: parent.principalId, listed: false });
    await alter(
      stores,
      newer.id,
      `parent_task_id = '${parent.id}', id = '00000000-0000-4000-8000-000000000000', created_at = now() + interval '1 s'`,
    );
    const search = { ...ALL, parent: parent.id };
    const page = await stores.operatorStore.search(search, 1, null);
    expect(page.tasks).toMatchObject([
      { id: '00000000-0000-4000-8000-000000000000', hasCalled: false },
    ]);
    expect(await stores.operatorStore.search(search, 1, page.next)).toMatchObject({
      tasks: [{ id: child.id }],
      next: null,
    });
    expect(await found({ parent: parent.id, owner: parent.principalId })).toHaveLength(2);
    expect((await stores.operatorStore.facts(parent.id, null, 1))?.hasCalled).toBe(true);
    expect(await found({ parent: parent.id, owner: newPrincipalId() })).toEqual([]);
    expect(await found({})).not.toContain(chunk.id);
  });

  it('counts, up to a bound', async () => {
    for (let n = 0; n < 4; n += 1) await accept({ toolName: 'counted' });
    const search = { ...ALL, tools: ['counted'] };
    expect(await stores.operatorStore.count(search, 10)).toEqual({ count: 4, isCapped: false });
    expect(await stores.operatorStore.count(search, 3)).toEqual({ count: 3, isCapped: true });
  });

  it('knows nothing of what is past its ttl', async () => {
    const task = await accept();
    await alter(stores, task.id, "expires_at = now() - interval '1 s'");
    expect(await found({})).toEqual([]);
    expect(await stores.operatorStore.facts(task.id, null, 10)).toBeNull();
  });
});

describe('the facts of a task', () => {
  it('are for its owner, or for an operator, who reads calls without a handle too', async () => {
    const held = await accept({ listed: false, arguments: { a: 1 } });
    expect(await stores.operatorStore.facts(held.id, held.principalId, 10)).toBeNull();
    const facts = await stores.operatorStore.facts(held.id, null, 10);
    expect(facts).toMatchObject({
      id: held.id,
      listed: false,
      arguments: { a: 1 },
    });
    expect(facts?.events.map(({ kind }) => kind)).toEqual(['created']);
    const task = await accept();
    expect(await stores.operatorStore.facts(task.id, newPrincipalId(), 10)).toBeNull();
    expect(await stores.operatorStore.ownerOf(task.id)).toBe(task.principalId);
    expect(await stores.operatorStore.ownerOf('x' as TaskId)).toBeNull();
  });
});

describe('figures', () => {
  const mark = (): Promise<unknown> =>
    stores.sql(`INSERT INTO stat_marks VALUES ('ended', 'epoch'), ('gauges', 'epoch')`);
  const window = { stepMs: 60_000, tool: null, queue: null };
  const today = () => ({
    from: new Date(Date.now() - 3_600_000),
    to: new Date(Date.now() + 60_000),
  });
  const ended = async (
    toolName: string,
    outcome: 'finish' | 'cancel',
    toolVersion: string | null = null,
  ): Promise<void> => {
    const task = await accept({ toolName });
    await claimed(stores, task.id);
    if (outcome === 'finish')
      await stores.attemptStore.finish({ ...finishOf(task.id, 1), toolVersion });
    else await stores.taskStore.cancel(task.id, task.principalId);
    // A look leaves the last second alone, in which something may not have committed.
    await alter(
      stores,
      task.id,
      `finished_at = now() - interval '2 s', started_at = created_at + interval '30 ms'`,
    );
  };

  it('count each task that ended once, however many fold at once', async () => {
    await mark();
    for (let n = 0; n < 3; n += 1) await ended('fast', 'finish');
    await ended('fast', 'cancel');
    await ended('slow', 'finish');
    const folds = await Promise.all([1, 2, 3].map(() => stores.statsStore.foldEnded()));
    expect(folds.reduce<number>((sum, n) => sum + (n ?? 0), 0)).toBe(5);
    await ended('slow', 'finish');
    // What ended before the mark has moved is behind it: none of it is counted twice.
    await alter(
      stores,
      (await stores.sql<{ id: TaskId }>('SELECT id FROM tasks ORDER BY created_at DESC LIMIT 1'))[0]
        ?.id as TaskId,
      `finished_at = now() - interval '1001 ms'`,
    );
    await stores.statsStore.foldEnded();
    const stats = await stores.operatorStore.stats({ ...window, ...today() });
    expect(
      stats.tools.map(({ tool, completed, cancelled }) => [tool, completed, cancelled]),
    ).toEqual([
      ['fast', 3, 1],
      ['slow', 2, 0],
    ]);
    const [fast] = stats.tools;
    // 30 ms: over 25, below 50.
    expect(fast?.waits.map((n, place) => [place, n]).filter(([, n]) => n !== 0)).toEqual([[2, 4]]);
    const hourly = await stores.operatorStore.stats({
      ...window,
      ...today(),
      from: new Date(Date.now() - 7_200_000),
      stepMs: 3_600_000,
    });
    expect(hourly.buckets.reduce((sum, { completed }) => sum + completed, 0)).toBe(5);
    const one = await stores.operatorStore.stats({ ...window, ...today(), tool: 'slow' });
    expect(one.tools).toHaveLength(1);
    expect(stats.versions).toEqual([]);
  });

  it('tell the versions of a tool apart, by minute and by hour', async () => {
    await mark();
    for (const version of ['1.9.0', '1.9.0', '1.10.0']) await ended('fast', 'finish', version);
    await ended('fast', 'cancel');
    await ended('slow', 'finish', '7.0.0');
    await stores.statsStore.foldEnded();
    for (const stepMs of [60_000, 3_600_000]) {
      const from = new Date(Date.now() - 7_200_000);
      const { versions, tools } = await stores.operatorStore.stats({
        ...{ ...window, ...today(), from },
        ...{ stepMs, tool: 'fast' },
      });
      expect(tools).toMatchObject([{ tool: 'fast', completed: 3, cancelled: 1 }]);
      expect(
        versions.map(({ version, completed, cancelled }) => [version, completed, cancelled]),
      ).toEqual([
        ['1.9.0', 2, 0],
        ['', 0, 1],
        ['1.10.0', 1, 0],
      ]);
    }
  });

  it('leave alone what ended while an older transaction is open', async () => {
    await mark();
    const other = new pg.Client({ connectionString: stores.url });
    await other.connect();
    await other.query('BEGIN');
    await other.query('SELECT 1');
    await ended('held', 'finish');
    // It ended after the other began, and the second is over that nothing counts in any case.
    await stores.sql(`UPDATE tasks SET finished_at = clock_timestamp(); SELECT pg_sleep(1.01)`);
    expect(await stores.statsStore.foldEnded()).toBe(0);
    await other.query('COMMIT');
    await other.end();
    expect(await stores.statsStore.foldEnded()).toBe(1);
  });

  it('say what stands where, looked at by one in a while', async () => {
    await mark();
    await accept({ queue: 'a', enqueue: false });
    const old = await accept({ queue: 'a', toolName: 'ocr' });
    await alter(stores, old.id, "created_at = now() - interval '1 minute'");
    const running = await accept({ queue: 'a' });
    await claimed(stores, running.id);
    const looks = await Promise.all([1, 2, 3].map(() => stores.statsStore.sampleQueues(60_000)));
    expect(looks.filter(Boolean)).toHaveLength(1);
    const [gauge, ...more] = await stores.operatorStore.gauges();
    expect(more).toEqual([]);
    expect(gauge).toMatchObject({
      queue: 'a',
      waiting: 1,
      ready: 1,
      running: 1,
      retrying: 0,
      inputRequired: 0,
      workers: 0,
    });
    expect(gauge?.oldestWaitMs).toBeGreaterThan(59_000);
    expect(gauge?.tools).toMatchObject({ ocr: { ready: 1 } });
    const { gauges } = await stores.operatorStore.stats({ ...window, ...today() });
    expect(gauges).toMatchObject([{ waiting: 2, running: 1 }]);
    await stores.sql(`DELETE FROM tasks; UPDATE stat_marks SET at = 'epoch'`);
    await stores.statsStore.sampleQueues(0);
    expect(await stores.operatorStore.gauges()).toEqual([]);
  });

  it('are kept for a week by the minute and for 400 days by the hour, and the latest look for ever', async () => {
    await stores.sql(`
      INSERT INTO stat_minutes (bucket, queue, tool, outcome, n, wait_hist, run_hist)
        SELECT now() - d * interval '1 day', 'kept', 't', 'completed', d, '{}', '{}' FROM unnest(ARRAY[6, 8]) AS d;
      INSERT INTO stat_hours (bucket, queue, tool, outcome, n, wait_hist, run_hist)
        SELECT now() - d * interval '1 day', 'kept', 't', 'completed', d, '{}', '{}' FROM unnest(ARRAY[399, 401]) AS d;
      INSERT INTO queue_gauges SELECT b, 'kept', 0, 0, 0, 0, 0, 0, 0, 0, '{}'
        FROM unnest(ARRAY[to_timestamp(0), now() - interval '6 days', now() - interval '8 days']) AS b`);
    await stores.statsStore.deleteOldStats();
    const left = (table: string) =>
      stores.sql(
        `SELECT (now()::date - bucket::date) AS days FROM ${table} WHERE queue = 'kept' ORDER BY bucket`,
      );
    expect(await left('stat_minutes')).toEqual([{ days: 6 }]);
    expect(await left('stat_hours')).toEqual([{ days: 399 }]);
    expect(await left('queue_gauges')).toHaveLength(2);
  });
});

describe('changes', () => {
  it('tell what was made, what moved and what ended since a moment', async () => {
    const owner = newPrincipalId();
    const before = await stores.operatorStore.changes(new Date(), null);
    const task = await accept({ principalId: owner, id: nextId() });
    const other = await accept();
    await claimed(stores, task.id);
    const { created, changed, now } = await stores.operatorStore.changes(before.now, null);
    expect([...created].sort()).toEqual([task.id, other.id].sort());
    expect(changed.map(({ id, phase }) => [id, phase])).toEqual(
      expect.arrayContaining([
        [task.id, 'running'],
        [other.id, 'ready'],
      ]),
    );
    await stores.attemptStore.finish(finishOf(task.id, 1));
    const next = await stores.operatorStore.changes(now, null);
    expect(next.changed).toContainEqual(
      expect.objectContaining({ id: task.id, phase: 'completed' }),
    );
    const theirs = await stores.operatorStore.changes(before.now, owner);
    expect(theirs).toMatchObject({ created: [task.id], changed: [{ id: task.id }] });
  });

  it('are told although they were committed after a look', async () => {
    const task = await accept();
    await claimed(stores, task.id);
    const client = new pg.Client({ connectionString: stores.url });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query(`UPDATE tasks SET progress = 7, updated_at = now() WHERE id = $1`, [
        task.id,
      ]);
      const { now } = await stores.operatorStore.changes(new Date(), null);
      await client.query('COMMIT');
      const { changed } = await stores.operatorStore.changes(now, null);
      expect(changed).toContainEqual(
        expect.objectContaining({
          id: task.id,
          progress: expect.objectContaining({ progress: 7 }),
        }),
      );
    } finally {
      await client.end();
    }
  });
});

describe('what is paused', () => {
  it('is so until it is resumed', async () => {
    const by = newPrincipalId();
    await stores.pauseStore.pause({ kind: 'queue', name: 'images' }, by);
    await stores.pauseStore.pause({ kind: 'queue', name: 'images' }, by);
    await stores.pauseStore.pause({ kind: 'tool', name: 'ocr' }, by);
    expect((await stores.pauseStore.read(null)).pauses).toHaveLength(2);
    await stores.pauseStore.resume({ kind: 'queue', name: 'images' });
    expect(await stores.pauseStore.read(null)).toEqual({
      pauses: [{ kind: 'tool', name: 'ocr' }],
      isDraining: false,
    });
  });
});

describe('principals', () => {
  it('are listed, the newest first, with what they have open', async () => {
    const first = await stores.identityStore.ensure('stdio', 'ada');
    const second = await stores.identityStore.ensure('anonymous', 'local');
    await accept({ principalId: first.principalId });
    const [newest] = await stores.operatorStore.principals(1, null);
    expect(newest).toMatchObject({ id: second.principalId, subject: 'local', openTasks: 0 });
    const place = { createdAt: newest?.createdAt as Date, id: newest?.id as PrincipalId };
    expect(await stores.operatorStore.principals(10, place)).toMatchObject([
      { id: first.principalId, kind: 'stdio', openTasks: 1 },
    ]);
    expect(await stores.operatorStore.principal(first.principalId)).toEqual({
      id: first.principalId,
      kind: 'stdio',
      subject: 'ada',
    });
  });
});

describe('the audit trail', () => {
  it('gives back what was done to a thing of each kind', async () => {
    const entries = AUDIT_TARGET_KINDS.map((kind) => ({
      action: 'task_read' as const,
      principalId: null,
      authBindingId: null,
      target: { kind, id: randomUUID() },
      address: null,
      requestId: null,
      details: null,
    }));
    await stores.auditStore.append(entries);
    const every = { principal: null, action: null, targetId: null, after: null, before: null };
    const found = await stores.auditStore.search(every, entries.length, null);
    expect(found.map(({ target }) => target).reverse()).toEqual(
      entries.map(({ target }) => target),
    );
  });
});
