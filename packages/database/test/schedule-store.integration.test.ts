import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Identity,
  type NewTask,
  type ScheduleFiring,
  type ScheduleId,
  silentLogger,
} from '@longshore/core';
import { openDatabase } from '../src/index.ts';
import { advanceSchedule } from '../src/statements/advance-schedule.ts';
import { deleteEndedSchedules } from '../src/statements/delete-ended-schedules.ts';
import { findWakingSchedules } from '../src/statements/find-waking-schedules.ts';
import { PostgresScheduleStore } from '../src/stores/postgres-schedule-store.ts';
import { createExplainRunner } from './fixtures/explain-runner.ts';
import { lockRow, waitForLocked } from './fixtures/lock-row.ts';
import { dueSchedule, newOwner, newSchedule } from './fixtures/schedule-factory.ts';
import { newTask } from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

let stores: TestStores;
beforeAll(async () => {
  stores = await openTestStores();
});
afterAll(() => stores.drop());

const HOUR_MS = 3_600_000;

const taskFor = (owner: Identity): NewTask => newTask({ ...owner, sessionId: null });

const firing = (task: NewTask | null, changes: Partial<ScheduleFiring> = {}): ScheduleFiring => ({
  run: task === null ? null : { dueAt: new Date(), task },
  skipped: 0,
  nextRunAt: new Date(Date.now() + HOUR_MS),
  note: null,
  ...changes,
});

const tasksOf = async ({ principalId }: Identity): Promise<number> =>
  (await stores.taskStore.list(principalId, 100, null)).length;

describe('adding', () => {
  it('stores what was asked for, and shows it to its owner alone', async () => {
    const [owner, other] = [await newOwner(stores), await newOwner(stores)];
    const schedule = newSchedule(owner, { name: 'hourly', ttlMs: 60_000 });
    expect(await stores.scheduleStore.add(schedule, 5)).toEqual({ kind: 'added' });
    const { authBindingId: _binding, ...terms } = schedule;
    const now = await stores.scheduleStore.now();
    expect(await stores.scheduleStore.list(owner.principalId, 5, null)).toEqual([
      {
        ...terms,
        state: 'active',
        lastRunAt: null,
        lastTaskId: null,
        runs: 0,
        skipped: 0,
        note: null,
        createdAt: expect.any(Date),
      },
    ]);
    expect(Math.abs(now.getTime() - Date.now())).toBeLessThan(HOUR_MS);
    expect(await stores.scheduleStore.list(other.principalId, 5, null)).toEqual([]);
  });

  it('refuses a name twice, more than the limit, and a time that is over', async () => {
    const owner = await newOwner(stores);
    const first = newSchedule(owner, { name: 'n' });
    await stores.scheduleStore.add(first, 2);
    const again = await stores.scheduleStore.add(newSchedule(owner, { name: 'n' }), 2);
    expect(again).toMatchObject({ kind: 'name_taken', schedule: { id: first.id } });
    const late = newSchedule(owner, { nextRunAt: new Date(Date.now() - HOUR_MS) });
    expect(await stores.scheduleStore.add(late, 2)).toEqual({ kind: 'past' });
    await stores.scheduleStore.add(newSchedule(owner), 2);
    const third = newSchedule(owner);
    expect(await stores.scheduleStore.add(third, 2)).toEqual({ kind: 'too_many' });
    expect(await stores.scheduleStore.add(third, 0)).toEqual({ kind: 'added' });
    const stranger = newSchedule(await newOwner(stores), { name: 'n' });
    expect(await stores.scheduleStore.add(stranger, 2)).toEqual({ kind: 'added' });
  });

  it('keeps the limit also when many are added at once', async () => {
    const owner = await newOwner(stores);
    const added = await Promise.all(
      Array.from({ length: 8 }, () => stores.scheduleStore.add(newSchedule(owner), 3)),
    );
    expect(added.filter(({ kind }) => kind === 'added')).toHaveLength(3);
    expect(await stores.scheduleStore.list(owner.principalId, 10, null)).toHaveLength(3);
  });
});

describe('removing', () => {
  it('finds it by id and by name, and never that of somebody else', async () => {
    const [owner, other] = [await newOwner(stores), await newOwner(stores)];
    const [byId, byName] = [newSchedule(owner), newSchedule(owner, { name: 'mine' })];
    for (const schedule of [byId, byName]) await stores.scheduleStore.add(schedule, 0);
    for (const key of [byId.id, 'mine', randomUUID(), 'yours', "'"]) {
      expect(await stores.scheduleStore.remove(other.principalId, key)).toBeNull();
    }
    const { scheduleStore } = stores;
    expect(await scheduleStore.remove(owner.principalId, byId.id)).toMatchObject({ id: byId.id });
    expect(await scheduleStore.remove(owner.principalId, 'mine')).toMatchObject({ id: byName.id });
    expect(await scheduleStore.remove(owner.principalId, 'mine')).toBeNull();
  });

  it('frees the name of one that has ended', async () => {
    const owner = await newOwner(stores);
    const place = await dueSchedule(stores, owner, { name: 'once' });
    expect(await stores.scheduleStore.fire(place, firing(null, { nextRunAt: null }))).toBe(true);
    expect(await stores.scheduleStore.remove(owner.principalId, 'once')).toBeNull();
    const next = newSchedule(owner, { name: 'once' });
    expect(await stores.scheduleStore.add(next, 1)).toEqual({ kind: 'added' });
  });
});

describe('firing', () => {
  it.each([
    ['to come', 3_600_000],
    ['due as well', 1],
  ])(
    'makes one task of a due time, however many processes fire it; the next is %s',
    async (_, laterMs) => {
      const owner = await newOwner(stores);
      const place = await dueSchedule(stores, owner);
      const nextRunAt = new Date(place.nextRunAt.getTime() + laterMs);
      const second = openDatabase({ url: stores.url, log: silentLogger });
      try {
        const unlock = await lockRow(stores, 'schedules', place.id);
        // All of them have begun before one of them can end.
        const fired = [stores, stores, second, second].map(({ scheduleStore }) =>
          scheduleStore.fire(place, firing(taskFor(owner), { nextRunAt })),
        );
        await waitForLocked(stores, fired.length);
        await unlock();
        expect((await Promise.all(fired)).filter((isFirst) => isFirst)).toHaveLength(1);
      } finally {
        await second.close();
      }
      expect(await tasksOf(owner)).toBe(1);
      const [schedule] = await stores.scheduleStore.list(owner.principalId, 1, null);
      expect(schedule).toMatchObject({ state: 'active', runs: 1 });
      const { lastTaskId } = schedule ?? {};
      expect(
        await stores.taskStore.find(lastTaskId ?? taskFor(owner).id, owner.principalId),
      ).toMatchObject({
        listed: true,
        sessionId: null,
      });
    },
  );

  it('does nothing before it is due, elsewhere, for somebody else, or when it is gone', async () => {
    const owner = await newOwner(stores);
    const place = await dueSchedule(stores, owner);
    const other = await newOwner(stores);
    const soon = newSchedule(owner);
    await stores.scheduleStore.add(soon, 0);
    const wrong = [
      { ...place, nextRunAt: new Date(place.nextRunAt.getTime() + 1) },
      { ...place, principalId: other.principalId },
      { ...place, id: randomUUID() as string as ScheduleId },
      soon,
    ];
    for (const elsewhere of wrong) {
      expect(await stores.scheduleStore.fire(elsewhere, firing(taskFor(owner)))).toBe(false);
    }
    for (const elsewhere of wrong.slice(0, 3)) {
      expect(await stores.scheduleStore.pause(elsewhere, 'x')).toBe(false);
      expect(await stores.scheduleStore.postpone(elsewhere, 1_000, 'x')).toBe(false);
    }
    expect(await tasksOf(owner)).toBe(0);
    expect(await stores.scheduleStore.waking(place.id)).toMatchObject({
      nextRunAt: place.nextRunAt,
    });
  });

  it('moves the row only together with its task', async () => {
    const owner = await newOwner(stores);
    const place = await dueSchedule(stores, owner);
    const task = taskFor(owner);
    await stores.taskStore.accept(task);
    // A task of this id is there: the insert fails after the row has moved.
    await expect(stores.scheduleStore.fire(place, firing(task))).rejects.toThrow();
    expect(await stores.scheduleStore.waking(place.id)).toMatchObject({
      nextRunAt: place.nextRunAt,
      runs: 0,
    });
  });

  it('says whether the task before is open, and counts what was skipped', async () => {
    const owner = await newOwner(stores);
    const place = await dueSchedule(stores, owner);
    const task = taskFor(owner);
    await stores.scheduleStore.fire(place, firing(task));
    expect(await stores.scheduleStore.waking(place.id)).toMatchObject({
      isLastOpen: true,
      lastTaskId: task.id,
    });
    await stores.taskStore.cancel(task.id, owner.principalId);
    expect(await stores.scheduleStore.waking(place.id)).toMatchObject({ isLastOpen: false });
    const next = await dueSchedule(stores, owner);
    await stores.scheduleStore.fire(next, firing(null, { skipped: 7, note: 'was away\0' }));
    expect(await stores.scheduleStore.waking(next.id)).toMatchObject({
      runs: 0,
      skipped: 7,
      note: 'was away\\u0000',
    });
  });

  it('leaves a postponed one due, but not to be looked at', async () => {
    const place = await dueSchedule(stores, await newOwner(stores));
    expect(await stores.scheduleStore.postpone(place, HOUR_MS, 'later')).toBe(true);
    const found = await stores.scheduleStore.waking(place.id);
    expect(found).toMatchObject({ nextRunAt: place.nextRunAt, note: 'later' });
    expect(found?.wakesInMs).toBeGreaterThan(HOUR_MS / 2);
    const due = await stores.scheduleStore.wakingWithin(0, 1_000);
    expect(due.map(({ id }) => id)).not.toContain(place.id);
  });

  it('never wakes a paused one, and deletes what ended long ago', async () => {
    const owner = await newOwner(stores);
    const [paused, ended, fresh] = [
      await dueSchedule(stores, owner),
      await dueSchedule(stores, owner),
      await dueSchedule(stores, owner),
    ];
    await stores.scheduleStore.pause(paused, 'revoked');
    for (const place of [ended, fresh]) {
      await stores.scheduleStore.fire(place, firing(null, { nextRunAt: null }));
    }
    for (const { id } of [paused, ended]) expect(await stores.scheduleStore.waking(id)).toBeNull();
    await stores.sql(
      "UPDATE schedules SET updated_at = now() - interval '2 h' WHERE id = ANY ($1)",
      [[paused.id, ended.id]],
    );
    await stores.scheduleStore.deleteEnded(HOUR_MS, 100);
    const left = await stores.scheduleStore.list(owner.principalId, 10, null);
    expect(left.map(({ id, state }) => [id, state]).sort()).toEqual(
      [
        [paused.id, 'paused'],
        [fresh.id, 'ended'],
      ].sort(),
    );
  });
});

describe('the credential of a schedule', () => {
  const newKey = (expiresInMs: number | null) => ({
    principal: null,
    name: 'k',
    prefix: 'ls_',
    hash: randomBytes(32),
    scopes: ['tools:*'],
    limits: { queuedTasks: 3, schedules: 9 },
    expiresInMs,
  });

  const scheduledWith = async (expiresInMs: number | null) => {
    const key = newKey(expiresInMs);
    await stores.apiKeyStore.create(key);
    const found = await stores.apiKeyStore.findValid(key.hash);
    if (found === null) throw new Error('the key is not there');
    const schedule = newSchedule(found);
    await stores.scheduleStore.add({ ...newSchedule(found), id: schedule.id }, 0);
    return { keyId: found.id, schedule };
  };

  it('is valid, and brings its limits, until it is revoked', async () => {
    const { keyId, schedule } = await scheduledWith(null);
    expect(await stores.scheduleStore.waking(schedule.id)).toMatchObject({
      credential: 'valid',
      limits: { queuedTasks: 3, schedules: 9 },
      authBindingId: schedule.authBindingId,
    });
    await stores.apiKeyStore.revoke(keyId);
    const revoked = await stores.scheduleStore.waking(schedule.id);
    expect(revoked?.credential).toBe('revoked');
  });

  it('expires with its key', async () => {
    const { keyId, schedule } = await scheduledWith(HOUR_MS);
    await stores.sql('UPDATE api_keys SET expires_at = now() WHERE id = $1', [keyId]);
    expect(await stores.scheduleStore.waking(schedule.id)).toMatchObject({ credential: 'expired' });
  });

  it('is gone with the session that was a principal of its own, and so is the schedule', async () => {
    const session = await stores.sessionStore.create({
      protocolVersion: '2025-11-25',
      clientInfo: { name: 'test', version: '1' },
      clientCapabilities: {},
      identity: null,
    });
    const place = await dueSchedule(stores, session);
    expect(await stores.scheduleStore.waking(place.id)).toMatchObject({ credential: 'valid' });
    const task = taskFor(session);
    await stores.scheduleStore.fire(place, firing(task));
    await stores.sessionStore.end(session.id);
    // The owner of a task stays as long as the task.
    expect(await stores.scheduleStore.waking(place.id)).toMatchObject({ credential: 'gone' });
    await stores.sql('UPDATE tasks SET expires_at = now() WHERE id = $1', [task.id]);
    await stores.maintenanceStore.deleteExpired(10);
    expect(await stores.sql('SELECT FROM schedules WHERE id = $1', [place.id])).toEqual([]);
  });
});

it('reads by indexes, however many schedules there are', async () => {
  const owner = await newOwner(stores);
  const others = await newOwner(stores);
  await stores.sql(
    `INSERT INTO schedules (id, principal_id, auth_binding_id, tool_name, arguments, cron, time_zone, missed,
       overlap, state, next_run_at, wake_at, updated_at)
     SELECT gen_random_uuid(), CASE WHEN n % 20 = 0 THEN $1::uuid ELSE $3::uuid END, $2, 't', '{}', '* * * * *', 'UTC', 'skip', 'skip',
       CASE WHEN n % 2 = 0 THEN 'active' ELSE 'ended' END,
       CASE WHEN n % 2 = 0 THEN now() + n * interval '1 s' END,
       CASE WHEN n % 2 = 0 THEN now() + n * interval '1 s' END, now() - n * interval '1 s'
     FROM generate_series(1, 20000) AS n`,
    [owner.principalId, owner.authBindingId, others.principalId],
  );
  await stores.sql('ANALYZE schedules');
  const explainer = createExplainRunner(stores.url);
  try {
    const [place] = await stores.scheduleStore.wakingWithin(HOUR_MS, 1);
    if (place === undefined) throw new Error('there is none');
    const soon = await explainer.explain((runner) =>
      findWakingSchedules(runner, { withinMs: HOUR_MS, limit: 50 }),
    );
    expect([...soon.scans]).toContain('schedules by schedules_wake_at_idx');
    expect(soon.rowsRead).toBeLessThan(50 * 6);
    const one = await explainer.explain((runner) => findWakingSchedules(runner, { id: place.id }));
    expect([...one.scans]).toContain('schedules by schedules_pkey');
    const page = await explainer.explain((runner) =>
      new PostgresScheduleStore(runner).list(owner.principalId, 20, null),
    );
    expect([...page.scans]).toEqual(['schedules by schedules_owner_newest_idx']);
    expect(page.rowsRead).toBe(20);
    const moved = await explainer.explain((runner) => advanceSchedule(runner, place, firing(null)));
    expect([...moved.scans]).toEqual(['schedules by schedules_pkey']);
    const ended = await explainer.explain((runner) => deleteEndedSchedules(runner, HOUR_MS, 10));
    expect([...ended.scans]).toContain('schedules by schedules_ended_idx');
  } finally {
    await explainer.close();
  }
});
