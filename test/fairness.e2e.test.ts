import path from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import type { AuthBindingId, NewTask, PrincipalId, TaskId } from '@longshore/core';
import { NO_ABILITIES, silentLogger } from '@longshore/core';
import { openDatabase } from '@longshore/database';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import { WireClient } from '@longshore/testing/mcp';
import pg from 'pg';
import { type Stack, startStack } from './support/stack.ts';

const TOOLS = path.join(import.meta.dirname, 'fixtures', 'limited-tools.js');

/** Rows of one principal that nobody has enqueued, as many accepted calls of `common` leave them. */
const FLOOD = 3_000;

interface Span {
  readonly from: number;
  readonly to: number;
  readonly pid: number;
}

/** The most spans that had a moment in common. */
function mostAtOnce(spans: readonly Span[]): number {
  const edges = spans.flatMap(({ from, to }) => [
    { at: from, change: 1 },
    { at: to, change: -1 },
  ]);
  edges.sort((a, b) => a.at - b.at || a.change - b.change);
  let now = 0;
  return Math.max(...edges.map(({ change }) => (now += change)));
}

/** Takes turns, and runs as many at once as may, over real APIs and workers. */
function fairness(mode: Mode): void {
  let stack: Stack | null = null;
  let tables: pg.Pool | null = null;

  afterEach(async () => {
    await tables?.end();
    await stack?.stop();
    [tables, stack] = [null, null];
  });

  async function start(workers: number, environment: Record<string, string>): Promise<void> {
    stack = await startStack({
      mode,
      workers,
      environment: { PLUGINS: TOOLS, ANONYMOUS_PRINCIPAL: 'session', ...environment },
    });
    tables = new pg.Pool({ connectionString: stack.environment['DATABASE_URL'], max: 2 });
    tables.on('error', () => {});
  }

  const query = async <Row extends pg.QueryResultRow>(
    text: string,
    values: unknown[] = [],
  ): Promise<Row[]> => {
    if (tables === null) throw new Error('not started');
    return (await tables.query<Row>(text, values)).rows;
  };

  async function newClient(): Promise<WireClient> {
    const client = new WireClient(...(stack?.urls ?? []));
    await client.initialize();
    await waitFor(
      async () => JSON.stringify(await client.result('tools/list', {})).includes('rare'),
      { what: 'the catalogue is there' },
    );
    return client;
  }

  async function call(client: WireClient, name: string, ms: number): Promise<string> {
    const answer = await client.result('tools/call', { name, arguments: { ms }, task: {} });
    return (answer['task'] as { taskId: string }).taskId;
  }

  const resultOf = async (client: WireClient, taskId: string): Promise<Span> => {
    const { structuredContent } = await client.result('tasks/result', { taskId });
    return structuredContent as Span;
  };

  /** Accepts calls of the principal of `taskId`, through the store as an API would that finds no room. */
  async function flood(taskId: string, count: number): Promise<void> {
    const [row] = await query<{ principal_id: PrincipalId; auth_binding_id: AuthBindingId }>(
      'SELECT principal_id, auth_binding_id FROM tasks WHERE id = $1',
      [taskId],
    );
    if (row === undefined || stack === null) throw new Error('no such task');
    const database = openDatabase({
      url: stack.environment['DATABASE_URL'] ?? '',
      log: silentLogger,
    });
    const task = (): NewTask => ({
      id: crypto.randomUUID() as string as TaskId,
      principalId: row.principal_id,
      authBindingId: row.auth_binding_id,
      sessionId: null,
      era: 'legacy',
      requestMethod: 'tools/call',
      requestId: 1,
      abilities: NO_ABILITIES,
      logLevel: null,
      listed: true,
      toolName: 'common',
      toolFingerprint: null,
      arguments: { ms: 400 },
      progressToken: null,
      queue: 'default',
      maxAttempts: 1,
      timeoutMs: 60_000,
      deadlineMs: null,
      ttlMs: 3_600_000,
      enqueue: false,
      outcome: null,
    });
    await Promise.all(Array.from({ length: count }, () => database.taskStore.accept(task())));
    await database.close();
  }

  it('starts the one task of a newcomer before all but a few of a flood', async () => {
    const [workers, concurrency] = [2, 2];
    await start(workers, { WORKER_CONCURRENCY: String(concurrency) });
    const [busy, newcomer] = [await newClient(), await newClient()];
    const first = await Promise.all(Array.from({ length: 40 }, () => call(busy, 'common', 400)));
    await flood(first[0] ?? '', FLOOD);
    const running = async (): Promise<number> =>
      (await query('SELECT FROM tasks WHERE claimed_by IS NOT NULL AND finished_at IS NULL'))
        .length;
    await waitFor(async () => (await running()) === workers * concurrency, {
      what: 'the flood has all seats',
    });
    const late = [await call(newcomer, 'common', 1), await call(newcomer, 'common', 1)];
    const started = `(SELECT min(id) FROM task_events WHERE task_id = $1 AND kind = 'started')`;
    const before: number[] = [];
    for (const id of late) {
      await resultOf(newcomer, id);
      const [row] = await query<{ starts: number }>(
        `SELECT count(*)::int AS starts FROM task_events
         WHERE kind = 'started' AND task_id <> ALL ($2::uuid[]) AND id < ${started}
           AND id > (SELECT id FROM task_events WHERE task_id = $1 AND kind = 'created')`,
        [id, late],
      );
      before.push(row?.starts ?? Number.NaN);
    }
    // As many as there are seats wait in BullMQ, as many again when the API added some before it had counted,
    // and each seat may have taken one that it is about to start.
    const ahead = 3 * workers * concurrency;
    expect(before[0]).toBeLessThanOrEqual(ahead + 1);
    expect(before[1]).toBeLessThanOrEqual(2 * (ahead + 1));
    const [left] = await query<{ count: number }>(
      'SELECT count(*)::int FROM tasks WHERE enqueued_at IS NULL',
    );
    expect(left?.count).toBeGreaterThan(FLOOD / 2);
  }, 60_000);

  it('runs the tasks of a newcomer while another one has all seats, for good', async () => {
    await start(1, { WORKER_CONCURRENCY: '2' });
    const [busy, newcomer, third] = [await newClient(), await newClient(), await newClient()];
    const endless = await Promise.all(
      Array.from({ length: 12 }, () => call(busy, 'common', 600_000)),
    );
    const started = async (): Promise<unknown[]> =>
      query(
        `SELECT task_id FROM task_events WHERE kind = 'started' AND task_id = ANY ($1::uuid[]) ORDER BY task_id`,
        [endless],
      );
    const running = await waitFor(
      async () => {
        const found = await started();
        return found.length === 2 && found;
      },
      { what: 'the first client has all seats' },
    );
    const plain = third.result('tools/call', { name: 'common', arguments: { ms: 1 } });
    const late = [await call(newcomer, 'common', 1), await call(newcomer, 'common', 1)];
    for (const id of late) await resultOf(newcomer, id);
    expect(await plain).toMatchObject({ structuredContent: { pid: expect.any(Number) } });
    expect(await started()).toEqual(running);
  }, 60_000);

  it('runs as many of a tool, of a principal and of a queue at once as may', async () => {
    await start(3, {
      WORKER_CONCURRENCY: '4',
      MAX_CONCURRENT_TASKS: '3',
      QUEUE_CONCURRENCY: 'default=5',
    });
    const clients = [await newClient(), await newClient(), await newClient()];
    const calls = await Promise.all(
      clients.flatMap((client) =>
        ['rare', 'common'].flatMap((name) =>
          Array.from({ length: 6 }, async () => {
            const taskId = await call(client, name, 250);
            return { client, name, span: await resultOf(client, taskId) };
          }),
        ),
      ),
    );
    const most = (wanted: (call: (typeof calls)[number]) => boolean): number =>
      mostAtOnce(calls.filter(wanted).map(({ span }) => span));
    expect(calls).toHaveLength(36);
    expect(new Set(calls.map(({ span }) => span.pid)).size).toBe(3);
    expect(most(({ name }) => name === 'rare')).toBeLessThanOrEqual(2);
    expect(most(() => true)).toBeLessThanOrEqual(5);
    expect(most(() => true)).toBeGreaterThan(2);
    for (const client of clients) {
      expect(most((call) => call.client === client)).toBeLessThanOrEqual(3);
    }
  }, 60_000);

  it('gives the slots of a killed worker away when its lease has ended', async () => {
    await start(2, { WORKER_CONCURRENCY: '4', LEASE_MS: '1000' });
    const client = await newClient();
    const stuck = [await call(client, 'rare', 3_000), await call(client, 'rare', 3_000)];
    await waitFor(
      async () => (await query('SELECT FROM tasks WHERE claimed_by IS NOT NULL')).length === 2,
      { what: 'both slots are taken' },
    );
    const waiting = await call(client, 'rare', 1);
    const [dead, alive] = stack?.workers ?? [];
    await dead?.kill();
    await alive?.kill();
    await stack?.startWorker();
    await resultOf(client, waiting);
    const spans = await Promise.all(stuck.map((id) => resultOf(client, id)));
    expect(mostAtOnce(spans)).toBeLessThanOrEqual(2);
  }, 60_000);
}

describeInMode('fairness', 'postgres', fairness);
