import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { migrate } from '@longshore/database/migrator';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@longshore/embedded';
import { describeWithRedis, waitFor } from '@longshore/testing';
import { ModernClient, SseClient, WireClient } from '@longshore/testing/mcp';
import pg from 'pg';
import { type Stack, startStack } from './support/stack.ts';

/** What one era's client sends again and again, and what became of it. */
interface Caller {
  readonly acknowledged: string[];
  /** HTTP status and error of each refusal. */
  readonly refusals: { status: number; retryAfter: string | null; error: unknown }[];
  stop(): Promise<void>;
}

describeWithRedis('a Postgres that restarts', () => {
  let directory: string;
  let server: EmbeddedPostgres;
  let proxy: Server;
  let url: string;
  let stack: Stack;
  let modern: ModernClient;
  let legacy: WireClient;

  const startPostgres = () => startEmbeddedPostgres({ dir: directory, settings: { fsync: 'off' } });

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'longshore-restart-'));
    server = await startPostgres();
    // It has another port after each start.
    proxy = await startProxy(() => Number(new URL(server.url).port));
    const address = new URL(server.url);
    address.port = String((proxy.address() as AddressInfo).port);
    url = address.href;
    await migrate({ url });
    stack = await startStack({
      mode: 'redis',
      environment: { DATABASE_URL: url, LOG_LEVEL: 'info', SSE_TRANSPORT: 'true' },
      apiDatabase: async () => url,
    });
    modern = new ModernClient(stack.urls).withTasks();
    legacy = new WireClient(...stack.urls);
    await legacy.initialize();
    await waitFor(async () => JSON.stringify(await modern.result('tools/list')).includes('echo'), {
      what: 'the catalogue is there',
    });
  }, 120_000);
  afterAll(async () => {
    await stack.stop();
    await server.stop();
    proxy.close();
    rmSync(directory, { recursive: true });
  });

  const startCaller = (
    send: () => Promise<Response>,
    idOf: (result: Record<string, unknown>) => unknown,
  ): Caller => {
    const acknowledged: string[] = [];
    const refusals: Caller['refusals'] = [];
    let stopped = false;
    const run = async (): Promise<void> => {
      while (!stopped) {
        const response = await send();
        const { result, error } = (await response.json()) as Record<string, unknown>;
        if (error === undefined) {
          acknowledged.push(String(idOf(result as Record<string, unknown>)));
        } else {
          const retryAfter = response.headers.get('retry-after');
          refusals.push({ status: response.status, retryAfter, error });
        }
        await sleep(20);
      }
    };
    const done = run();
    // Told by `stop`.
    done.catch(() => {});
    return {
      acknowledged,
      refusals,
      stop: () => {
        stopped = true;
        return done;
      },
    };
  };

  it('is a clear retryable error meanwhile, leaves nothing half-written, and works afterwards', async () => {
    const call = { name: 'echo', arguments: { text: 'again' } };
    const callers = [
      startCaller(
        () => modern.post(modern.build('tools/call', call)),
        ({ taskId }) => taskId,
      ),
      startCaller(
        () =>
          legacy.post({
            jsonrpc: '2.0',
            id: legacy.nextId(),
            method: 'tools/call',
            params: { ...call, task: {} },
          }),
        ({ task }) => (task as { taskId: string }).taskId,
      ),
    ];
    const longId = await modern.startTask('steps', { steps: 20, stepMs: 100 });
    const untilAll = (what: string, condition: (caller: Caller) => boolean) =>
      waitFor(() => callers.every(condition), { what, timeoutMs: 60_000 });
    await untilAll('each has some tasks', ({ acknowledged }) => acknowledged.length > 3);
    await server.stop();
    await untilAll('each is refused', ({ refusals }) => refusals.length > 2);
    server = await startPostgres();
    const before = callers.map(({ acknowledged }) => acknowledged.length);
    await waitFor(
      () => callers.every(({ acknowledged }, n) => acknowledged.length > (before[n] ?? 0) + 3),
      { what: 'the same requests work again', timeoutMs: 60_000 },
    );
    await Promise.all(callers.map((caller) => caller.stop()));

    for (const refusal of callers.flatMap(({ refusals }) => refusals)) {
      expect(refusal).toMatchObject({
        status: 503,
        retryAfter: '1',
        error: { code: -32603, data: { code: 'DATABASE_UNAVAILABLE', retryable: true } },
      });
      // Nothing of where the database is, or how one gets in.
      expect(JSON.stringify(refusal.error)).not.toContain(new URL(url).password);
    }
    const ids = [longId, ...callers.flatMap(({ acknowledged }) => acknowledged)];
    expect(new Set(ids).size).toBe(ids.length);
    await waitFor(async () => (await states(url)).open === 0, {
      what: 'everything has ended',
      timeoutMs: 60_000,
    });
    const { completed, broken } = await states(url);
    expect(ids.filter((id) => !completed.has(id))).toEqual([]);
    expect(broken).toEqual([]);
  }, 150_000);

  it('tells clients to try again and operators what it is, on every way out', async () => {
    const call = { name: 'echo', arguments: { text: 'again' } };
    const taskId = await modern.startTask('echo', call.arguments);
    await legacy.initialize();
    const sse = await SseClient.open(stack.urls[0] ?? '');
    await sse.initialize();
    const plain = modern.declaring({});
    const legacyPost = (method: string, params: object) =>
      legacy.post({ jsonrpc: '2.0', id: legacy.nextId(), method, params });
    const at = (where: string) => fetch(new URL(where, stack.urls[0]));
    const ways: Record<string, () => Promise<Response>> = {
      'a task': () => modern.post(modern.build('tools/call', call)),
      'tasks/get': () => modern.post(modern.build('tasks/get', { taskId })),
      'a held call': () => plain.post(plain.build('tools/call', call)),
      'a job tool': () =>
        plain.post(plain.build('tools/call', { name: 'job_list', arguments: {} })),
      'a schedule tool': () =>
        plain.post(plain.build('tools/call', { name: 'job_schedules', arguments: {} })),
      'subscriptions/listen': () =>
        modern.post(modern.build('subscriptions/listen', { notifications: { taskIds: [taskId] } })),
      'a result as resource': () =>
        modern.post(modern.build('resources/read', { uri: `longshore://tasks/${taskId}/result` })),
      initialize: () =>
        new WireClient(...stack.urls).post({
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: {
            protocolVersion: '2025-11-25',
            capabilities: {},
            clientInfo: { name: 'test', version: '1' },
          },
        }),
      'a legacy task': () => legacyPost('tools/call', { ...call, task: {} }),
      'a legacy held call': () => legacyPost('tools/call', call),
      'tasks/list': () => legacyPost('tasks/list', {}),
      'tasks/result': () => legacyPost('tasks/result', { taskId }),
      'a stream that goes on': () =>
        legacy.get({ lastEventId: `r.${taskId}.MQ.0..${randomUUID()}-1` }),
      'the end of a session': () => legacy.deleteRaw(),
      'HTTP+SSE': async () => Response.json(await sse.request(1, 'tools/call', call)),
      'a download': () => at(`/tasks/${taskId}/result`),
      '/readyz': () => at('/readyz'),
    };
    const { host } = new URL(url);
    await server.stop();
    const told: Record<string, string> = {};
    for (const [way, send] of Object.entries(ways)) told[way] = await (await send()).text();
    server = await startPostgres();
    sse.close();
    expect(told['/readyz']).toBe('{"status":"database unavailable"}');
    for (const [way, text] of Object.entries(told)) {
      expect([way, text]).toEqual([way, expect.not.stringMatching(/DATABASE_URL|Postgres|ECONN/)]);
      expect([way, text]).toEqual([way, expect.not.stringContaining(host)]);
      if (way === '/readyz') continue;
      expect([way, text]).toEqual([
        way,
        expect.stringContaining('"message":"The database did not answer. Try again."'),
      ]);
      expect([way, text]).toEqual([way, expect.stringContaining('"retryable":true')]);
    }
    for (const statement of [
      'accept-tasks',
      'find-tasks',
      'list-tasks',
      'find-result',
      'count-workers',
    ]) {
      const line = `Postgres at ${host}/postgres did not answer ${statement}`;
      await stack.apis[0]?.waitForLine(new RegExp(line.replaceAll('.', '\\.')));
    }
  });

  it('tells clients nothing of a row that it can not read, and operators the column', async () => {
    const taskId = await modern.startTask('echo', { text: 'of a strange row' });
    const database = new pg.Client(url);
    await database.connect();
    await database.query("UPDATE tasks SET log_level = 'strange' WHERE id = $1", [taskId]);
    await database.end();
    const { status, last } = await modern.request('tasks/get', { taskId });
    expect([status, last.error]).toEqual([
      500,
      { code: -32603, message: 'A defect of this server.', data: { code: 'INTERNAL' } },
    ]);
    await stack.apis[0]?.waitForLine(
      /find-outcomes returned a row that does not fit: log_level: Invalid option: expected one of /,
    );
  });
});

/** What is in the tables: open rows, the ids of completed ones, and what belongs together and is not. */
async function states(
  url: string,
): Promise<{ open: number; completed: Set<string>; broken: string[] }> {
  const database = new pg.Client(url);
  await database.connect();
  try {
    const tasks = await database.query<{
      id: string;
      state: string;
      outcome: string | null;
      kinds: string[];
    }>(
      `SELECT t.id, t.state, t.outcome_kind AS outcome,
         array(SELECT e.kind::text FROM task_events AS e WHERE e.task_id = t.id) AS kinds
       FROM tasks AS t`,
    );
    const strays = await database.query<{ task_id: string }>(
      'SELECT task_id FROM task_events AS e WHERE NOT EXISTS (SELECT FROM tasks AS t WHERE t.id = e.task_id)',
    );
    const completed = tasks.rows.filter(({ outcome }) => outcome === 'result');
    const count = (kinds: readonly string[], kind: string) =>
      kinds.filter((found) => found === kind).length;
    const broken = tasks.rows.filter(
      ({ state, kinds }) =>
        count(kinds, 'created') !== 1 || (state === 'finished' && count(kinds, 'finished') !== 1),
    );
    return {
      open: tasks.rows.filter(({ state }) => state !== 'finished').length,
      completed: new Set(completed.map(({ id }) => id)),
      broken: [
        ...broken.map((row) => JSON.stringify(row)),
        ...strays.rows.map((row) => row.task_id),
      ],
    };
  } finally {
    await database.end();
  }
}

async function startProxy(portOf: () => number): Promise<Server> {
  const proxy = createServer((socket) => {
    const onward = connect(portOf(), '127.0.0.1');
    for (const end of [socket, onward]) end.on('error', () => {});
    socket.pipe(onward).pipe(socket);
    socket.on('close', () => onward.destroy());
    onward.on('close', () => socket.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}
