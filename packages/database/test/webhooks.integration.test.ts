import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type DeliveryAnswer,
  type DueDelivery,
  type NewTask,
  type NewWebhook,
  toolErrorOutcome,
  WEBHOOK_EVENTS,
} from '@longshore/core';
import { waitFor } from '@longshore/testing';
import pg from 'pg';
import type { PoolRunner } from '../src/connection/pool-runner.ts';
import { noteEndedTasks } from '../src/statements/note-ended-tasks.ts';
import { noteFailingBatches } from '../src/statements/note-failing-batches.ts';
import { noteQuestions } from '../src/statements/note-questions.ts';
import { takeDeliveries } from '../src/statements/take-deliveries.ts';
import { PostgresWebhookStore } from '../src/stores/postgres-webhook-store.ts';
import { createExplainRunner } from './fixtures/explain-runner.ts';
import { accepted, alter, claimed, newPrincipalId } from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

let stores: TestStores;

beforeAll(async () => {
  stores = await openTestStores();
});
afterAll(() => stores.drop());
beforeEach(async () => {
  await stores.empty();
  await stores.sql(
    "INSERT INTO stat_marks (name, at) VALUES ('webhooks', 'epoch'), ('webhook_batches', 'epoch')",
  );
});

const NONE: ReadonlyMap<string, number> = new Map();
const OK: DeliveryAnswer = { status: 200, text: 'ok', error: null, latencyMs: 3 };
const BROKEN: DeliveryAnswer = { status: 500, text: '', error: 'status 500', latencyMs: 3 };
const LEASE_MS = 15_000;

/** One that was made a minute ago. */
async function webhook(changes: Partial<NewWebhook> = {}): Promise<string> {
  const id = randomUUID();
  const made = await stores.webhookStore.create(
    {
      id,
      principalId: null,
      madeBy: newPrincipalId(),
      url: 'https://example.com/',
      secret: 'whsec_c2VjcmV0',
      events: WEBHOOK_EVENTS,
      failingShare: 0.1,
      ...changes,
    },
    20,
  );
  expect(made?.id).toBe(id);
  const minuteAgo = "now() - interval '1 min'";
  await stores.sql(
    `UPDATE webhooks SET created_at = ${minuteAgo}, enabled_at = ${minuteAgo} WHERE id = $1`,
    [id],
  );
  return id;
}

/** A task that failed, made half a minute ago, ended some seconds ago. */
async function ended(changes: Partial<NewTask> = {}, secondsAgo = 5): Promise<NewTask> {
  const task = await accepted(stores, { outcome: toolErrorOutcome('secret'), ...changes });
  await alter(
    stores,
    task.id,
    `created_at = now() - interval '30 s', finished_at = now() - interval '${secondsAgo} s'`,
  );
  return task;
}

const note = () => stores.webhookStore.noteEvents();
const take = (most = 100) => stores.webhookStore.take(most, NONE, LEASE_MS);
const taskOf = ({ data }: DueDelivery) => data['taskId'];

/** What waits or was sent, as webhook, task and event. */
async function noted(): Promise<string[]> {
  const rows = await stores.sql<{ text: string }>(
    "SELECT webhook_id || ' ' || task_id || ' ' || event AS text FROM webhook_deliveries ORDER BY seq",
  );
  return rows.map(({ text }) => text);
}

describe('what ended', () => {
  it('is told once, to its principal and to who hears of all', async () => {
    const task = await ended();
    const own = await webhook({ principalId: task.principalId });
    const all = await webhook();
    await webhook({ principalId: newPrincipalId() });
    await webhook({ events: ['task.completed', 'task.input_required', 'batch.failing'] });
    expect(await note()).toBe(1);
    expect(await note()).toBe(0);
    const told = [own, all].map((id) => `${id} ${task.id} task.failed`);
    expect((await noted()).sort()).toEqual(told.sort());
    const [delivery] = await take();
    expect(delivery).toMatchObject({
      attempt: 1,
      url: 'https://example.com/',
      data: {
        taskId: task.id,
        tool: task.toolName,
        phase: 'failed',
        principal: task.principalId,
        attempt: 0,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    });
    expect(JSON.stringify(delivery?.data)).not.toContain('secret');
  });

  it('is not told of tasks without a handle, of older ones, nor to who is disabled', async () => {
    const id = await webhook();
    const off = await webhook();
    await stores.webhookStore.setEnabled(off, false);
    await ended({ listed: false });
    const old = await ended();
    await alter(stores, old.id, "created_at = now() - interval '1 h'");
    const told = await ended();
    await note();
    expect(await noted()).toEqual([`${id} ${told.id} task.failed`]);
  });

  it('is not looked for while there is no webhook, and then from its making on', async () => {
    await ended();
    expect(await note()).toBeNull();
    expect(await stores.webhookStore.hasEnabled()).toBe(false);
    await webhook();
    expect(await note()).toBe(1);
  });

  it('is not missed when it commits after what ended later', async () => {
    await webhook();
    const late = await accepted(stores);
    const open = new pg.Client({ connectionString: stores.url });
    await open.connect();
    await open.query('BEGIN');
    await open.query(
      "UPDATE tasks SET state = 'cancelled', finished_at = now(), status_message = 'x' WHERE id = $1",
      [late.id],
    );
    const { rows } = await open.query<{ at: Date }>('SELECT now() AS at');
    const isLater = async () =>
      (await stores.sql("SELECT WHERE now() > $1::timestamptz + interval '1.2 s'", [rows[0]?.at]))
        .length > 0;
    await waitFor(isLater, { what: 'the look would go beyond the open transaction' });
    await note();
    expect(await noted()).toEqual([]);
    await open.query('COMMIT');
    await open.end();
    await note();
    expect(await noted()).toEqual([expect.stringContaining(`${late.id} task.cancelled`)]);
  });

  it('is looked for by one process at a time', async () => {
    await webhook();
    const other = new pg.Client({ connectionString: stores.url });
    await other.connect();
    await other.query("BEGIN; SELECT FROM stat_marks WHERE name = 'webhooks' FOR NO KEY UPDATE");
    expect(await note()).toBeNull();
    await other.end();
    await waitFor(async () => (await note()) !== null, { what: 'the lock is gone' });
  });
});

describe('what goes on', () => {
  it('is told when a task asks, once for all it asks at once', async () => {
    const id = await webhook();
    const { id: taskId } = await accepted(stores);
    await claimed(stores, taskId);
    await alter(stores, taskId, "state = 'input_required'");
    const ask = (key: string, age: string) =>
      stores.sql(
        `INSERT INTO input_requests (id, task_id, key, method, params, attempt, event_id, created_at)
         VALUES (gen_random_uuid(), $1, $2, 'elicitation/create', '{}', 1, 1, now() - $3::interval)`,
        [taskId, key, age],
      );
    await stores.sql("UPDATE webhooks SET enabled_at = now() - interval '1 h'");
    await alter(stores, taskId, "created_at = now() - interval '30 s'");
    await ask('a', '20 s');
    await note();
    await note();
    expect(await noted()).toEqual([`${id} ${taskId} task.input_required`]);
    await ask('b', '10 s');
    await note();
    await note();
    expect(await noted()).toHaveLength(2);
    const [first] = await take();
    expect(first?.data).toMatchObject({ phase: 'input_required', finishedAt: null });
  });

  it('is told once when too many items of a batch have failed', async () => {
    const id = await webhook({ failingShare: 0.2 });
    const { id: taskId } = await accepted(stores);
    await claimed(stores, taskId);
    const batchId = randomUUID();
    await stores.sql(
      "INSERT INTO batches (id, task_id, key, items, chunks) VALUES ($1, $2, 'rows', 200, 2)",
      [batchId, taskId],
    );
    await stores.sql(
      `INSERT INTO batch_chunks (batch_id, position, first_item, size, items, done, failed)
       VALUES ($1, 0, 0, 100, '[]', 81, 19), ($1, 1, 100, 100, '[]', 0, 0)`,
      [batchId],
    );
    const look = async () => {
      await stores.sql("UPDATE stat_marks SET at = 'epoch' WHERE name = 'webhook_batches'");
      await note();
      return noted();
    };
    expect(await look()).toEqual([]);
    await stores.sql('UPDATE batch_chunks SET done = 61, failed = 39 WHERE position = 1');
    const told = [`${id} ${taskId} batch.failing`];
    expect(await look()).toEqual(told);
    expect(await look()).toEqual(told);
    expect((await take())[0]?.data).toMatchObject({
      phase: 'running',
      batch: { key: 'rows', items: 200, done: 142, failed: 58 },
    });
  });
});

describe('deliveries', () => {
  it('of one task go in their order, whatever is tried again', async () => {
    await webhook();
    const { id: taskId } = await ended();
    await note();
    await stores.sql(
      `INSERT INTO webhook_deliveries (id, webhook_id, task_id, event, subject, occurred_at, data)
       SELECT gen_random_uuid(), webhook_id, task_id, 'task.cancelled', 'later', now(), data FROM webhook_deliveries`,
    );
    const [first, ...others] = await take();
    expect(others).toEqual([]);
    if (first === undefined) throw new Error('nothing was due');
    expect(taskOf(first)).toBe(taskId);
    await stores.webhookStore.settle(first, BROKEN, { kind: 'failed', retryInMs: 3_600_000 });
    expect(await take()).toEqual([]);
    await stores.sql('UPDATE webhook_deliveries SET next_attempt_at = now() WHERE attempt = 1');
    const [again] = await take();
    expect(again).toMatchObject({ id: first.id, attempt: 2 });
    await stores.webhookStore.settle({ ...first, attempt: 2 }, OK, { kind: 'delivered' });
    expect(await take()).toMatchObject([{ event: 'task.cancelled' }]);
  });

  it('are taken by one of many, a few of each webhook, one of those that fail', async () => {
    const good = await webhook();
    const bad = await webhook();
    for (let n = 0; n < 10; n += 1) await ended();
    await note();
    await stores.sql('UPDATE webhooks SET failures = 3 WHERE id = $1', [bad]);
    const taken = (await Promise.all([take(), take(), take()])).flat();
    expect(new Set(taken.map(({ id }) => id)).size).toBe(taken.length);
    const of = (id: string) => taken.filter(({ webhookId }) => webhookId === id).length;
    expect(of(good)).toBeGreaterThanOrEqual(4);
    expect(of(bad)).toBeGreaterThanOrEqual(1);
    expect(of(bad)).toBeLessThanOrEqual(3);
    const busy = new Map([[good, 4]]);
    const more = await stores.webhookStore.take(100, busy, LEASE_MS);
    expect(more.map(({ webhookId }) => webhookId)).toEqual([bad]);
  });

  it('count for the latest attempt only, and are taken over when their lease is over', async () => {
    const id = await webhook();
    await ended();
    await note();
    const [first] = await take();
    if (first === undefined) throw new Error('nothing was due');
    expect(await take()).toEqual([]);
    await stores.sql('UPDATE webhook_deliveries SET next_attempt_at = now()');
    const [second] = await take();
    expect(second).toMatchObject({ id: first.id, attempt: 2 });
    await stores.webhookStore.settle(first, BROKEN, { kind: 'dead' });
    const state = async () => (await stores.webhookStore.deliveries(id, 10, null))[0]?.state;
    expect(await state()).toBe('pending');
    await stores.webhookStore.giveBack({ ...first, attempt: 2 });
    expect(await take()).toMatchObject([{ id: first.id, attempt: 2 }]);
    await stores.webhookStore.settle({ ...first, attempt: 2 }, OK, { kind: 'delivered' });
    expect(await state()).toBe('delivered');
  });

  it('end with a receiver that is gone, and are sent again when it is back', async () => {
    const id = await webhook();
    for (let n = 0; n < 3; n += 1) await ended();
    await note();
    const [first] = await take();
    if (first === undefined) throw new Error('nothing was due');
    await stores.webhookStore.settle(first, { ...BROKEN, status: 410 }, { kind: 'gone' });
    expect(await stores.webhookStore.find(id, null)).toMatchObject({
      disabledReason: 'gone',
      failures: 1,
    });
    await stores.sql(
      'UPDATE webhook_deliveries SET next_attempt_at = now() WHERE attempt = 1 AND next_attempt_at IS NOT NULL',
    );
    expect(await take()).toEqual([]);
    await stores.webhookStore.setEnabled(id, true);
    expect(await take()).toHaveLength(2);
    const { store, hour } = { store: stores.webhookStore, hour: 3_600_000 };
    const from = new Date(Date.now() - hour);
    expect(await store.replayFailed(id, new Date(0), from)).toBe(0);
    expect(await store.replayFailed(id, from, new Date(Date.now() + hour))).toBe(1);
    expect(await take()).toMatchObject([{ id: first.id, attempt: 1 }]);
    await store.settle(first, OK, { kind: 'delivered' });
    expect(await store.replay(id, first.id)).toBe(true);
    expect(await store.replay(randomUUID(), first.id)).toBe(false);
  });

  it('are shown page by page, and kept for a week', async () => {
    const id = await webhook();
    for (let n = 0; n < 5; n += 1) await ended();
    await note();
    const { webhookStore } = stores;
    const pages = [];
    let after = null;
    for (;;) {
      const page = await webhookStore.deliveries(id, 2, after);
      after = page.at(-1) ?? null;
      if (after === null) break;
      pages.push(page.length);
    }
    expect(pages).toEqual([2, 2, 1]);
    await stores.sql(
      "UPDATE webhook_deliveries SET created_at = now() - interval '8 days' WHERE seq % 2 = (SELECT min(seq) % 2 FROM webhook_deliveries)",
    );
    await webhookStore.deleteOld();
    expect(await webhookStore.deliveries(id, 10, null)).toHaveLength(2);
  });

  it('of a webhook belong to its principal, who has a bounded number', async () => {
    const owner = newPrincipalId();
    const id = await webhook({ principalId: owner });
    const { webhookStore } = stores;
    expect(await webhookStore.find(id, newPrincipalId())).toBeNull();
    expect(await webhookStore.find(id, owner)).toMatchObject({ id });
    expect(await webhookStore.list(newPrincipalId())).toEqual([]);
    const more = { id: randomUUID(), principalId: owner, madeBy: owner, url: 'https://a.b/' };
    const rest = { secret: 'whsec_c2VjcmV0', events: WEBHOOK_EVENTS, failingShare: 0.1 };
    expect(await webhookStore.create({ ...more, ...rest }, 1)).toBeNull();
    expect(JSON.stringify(await webhookStore.list(null))).not.toContain('whsec');
    expect(await webhookStore.remove(id)).toBe(true);
  });
});

describe('among many', () => {
  type Case = [string, (runner: PoolRunner) => Promise<unknown>, string, number];

  it('each statement reads a bounded number of rows by an index', async () => {
    const id = await webhook();
    await stores.sql(
      `INSERT INTO tasks (id, principal_id, auth_binding_id, era, request_method, listed, tool_name, arguments, queue, state,
         outcome_kind, max_attempts, timeout_ms, created_at, enqueued_at, finished_at)
       SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'modern', 'tools/call', true, 'tool', '{}', 'queue',
         CASE WHEN n > 500 THEN 'finished' WHEN n > 400 THEN 'input_required' ELSE 'working' END,
         CASE WHEN n > 500 THEN 'result' END, 3, 60000, at, at, CASE WHEN n > 500 THEN at END
       FROM (SELECT n, now() - n * interval '1 s' AS at FROM generate_series(1, 100000) AS n) AS n`,
    );
    await stores.sql(
      `INSERT INTO webhooks (id, made_by, url, secret, events, failing_share, created_at)
       SELECT md5(n::text)::uuid, $1, '', '', '{task.failed}', 0.1, now() FROM generate_series(1, 99) AS n`,
      [id],
    );
    await stores.sql(
      `INSERT INTO webhook_deliveries (id, webhook_id, task_id, event, subject, occurred_at, data, created_at, state, next_attempt_at)
       SELECT gen_random_uuid(), CASE WHEN n % 100 = 0 THEN $1 ELSE md5((n % 100)::text)::uuid END, gen_random_uuid(), 'task.failed',
         '', at, '{}', at, CASE WHEN n % 7 = 0 THEN 'pending' ELSE 'delivered' END, CASE WHEN n % 7 = 0 THEN at END
       FROM (SELECT n, now() - n * interval '1 s' AS at FROM generate_series(1, 100000) AS n) AS n`,
      [id],
    );
    await stores.sql('ANALYZE tasks, webhook_deliveries, webhooks, batches, batch_chunks');
    const hourAgo = new Date(Date.now() - 3_600_000);
    const store =
      (call: (store: PostgresWebhookStore) => Promise<unknown>) => (runner: PoolRunner) =>
        call(new PostgresWebhookStore(runner));
    const cases: Case[] = [
      [
        'ended',
        (runner) => noteEndedTasks(runner, hourAgo, new Date()),
        'tasks by tasks_pruned_finished_at_idx',
        25_000,
      ],
      ['questions', noteQuestions, 'tasks by tasks_enqueued_at_sweep_idx', 8_000],
      ['batches', noteFailingBatches, 'tasks by tasks_enqueued_at_sweep_idx', 8_000],
      [
        'take',
        (runner) => takeDeliveries(runner, 64, NONE, 1),
        'webhook_deliveries by webhook_deliveries_due_idx',
        300,
      ],
      [
        'page',
        store((s) => s.deliveries(id, 50, { id, createdAt: hourAgo })),
        'webhook_deliveries by webhook_deliveries_newest_idx',
        60,
      ],
      [
        'replay',
        store((s) => s.replayFailed(id, hourAgo, new Date())),
        'webhook_deliveries by webhook_deliveries_newest_idx',
        2_000,
      ],
      [
        'clean',
        store((s) => s.deleteOld()),
        'webhook_deliveries by webhook_deliveries_created_at_idx',
        100,
      ],
    ];
    const explainer = createExplainRunner(stores.url);
    try {
      for (const [what, call, index, most] of cases) {
        const { scans, rowsRead } = await explainer.explain(call);
        expect({ what, scans: [...scans] }).toEqual({
          what,
          scans: expect.arrayContaining([index]),
        });
        expect({
          what,
          seq: [...scans].filter((scan) => /^(tasks|webhook_deliveries) by Seq/.test(scan)),
        }).toEqual({ what, seq: [] });
        expect({ what, isBounded: rowsRead < most ? true : rowsRead }).toEqual({
          what,
          isBounded: true,
        });
      }
    } finally {
      await explainer.close();
    }
  });
});
