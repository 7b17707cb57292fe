import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { freePort } from '@longshore/embedded';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import { ModernClient, WireClient } from '@longshore/testing/mcp';
import { createKey } from './support/api-keys.ts';
import { type Family, parseExposition, sumOf } from './support/exposition.ts';
import { documentedMetrics } from './support/metrics-page.ts';
import { FIXTURE_TOOLS, type Stack, startStack } from './support/stack.ts';

const BATCH_TOOLS = path.join(import.meta.dirname, 'fixtures', 'batch-tools.js');

const TOKEN = 'token-of-a-prometheus';
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

type Scrape = ReadonlyMap<string, Family>;

/** @throws when it is not answered */
async function scrape(url: string, token: string | null = null): Promise<Scrape> {
  const response = await fetch(url, { headers: token === null ? {} : bearer(token) });
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
  return parseExposition(await response.text());
}

const metricsOf = (api: string): string => new URL('/metrics', api).href;

function metrics(mode: Mode): void {
  let stack: Stack;
  let modern: ModernClient;
  let directory: string;
  /** Of the API and of the workers that live. */
  let scrapes: () => Promise<[Scrape, ...Scrape[]]>;
  const ports: number[] = [];
  /** Where nobody listens. */
  let nobody: number;

  const startWorker = async () => {
    const port = await freePort();
    const worker = await stack.startWorker({ METRICS_PORT: String(port), METRICS_TOKEN: TOKEN });
    ports.push(port);
    return worker;
  };
  const counted = async (
    name: string,
    labels: Readonly<Record<string, string>>,
    wanted: number,
  ): Promise<void> => {
    const now = async (): Promise<number> => sumOf(await scrapes(), name, labels);
    const what = `${name} ${JSON.stringify(labels)} is ${wanted}`;
    await waitFor(async () => (await now()) >= wanted, { what });
    expect(await now()).toBe(wanted);
  };

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'longshore-metrics-'));
    const runs = path.join(directory, 'runs');
    writeFileSync(runs, '');
    nobody = await freePort();
    stack = await startStack({
      mode,
      workers: 0,
      environment: {
        PLUGINS: `${FIXTURE_TOOLS},${BATCH_TOOLS}`,
        RUNS: runs,
        WORKER_CONCURRENCY: '2',
        SPARE_SEATS: '0',
        WEBHOOK_PRIVATE_HOSTS: `127.0.0.1:${nobody}`,
      },
    });
    const [api = ''] = stack.urls;
    scrapes = async () => [
      await scrape(metricsOf(api)),
      ...(await Promise.all(
        ports.map((port) => scrape(`http://127.0.0.1:${port}/metrics`, TOKEN)),
      )),
    ];
    const doomed = await startWorker();
    modern = new ModernClient(stack.urls).withTasks();
    await waitFor(
      async () => JSON.stringify(await modern.result('tools/list')).includes('squares_here'),
      { what: 'the catalogue is there' },
    );
    const hanging = await modern.startTask('hang');
    await counted('longshore_attempts_started_total', { tool: 'hang' }, 1);
    ports.pop();
    await doomed.kill('SIGKILL');
    await startWorker();
    for (const text of ['a', 'b', 'c']) await modern.startTask('echo', { text });
    await modern.startTask('flaky', { failures: 1 });
    await modern.startTask('fail', { message: 'as asked' });
    await modern.startTask('squares', { count: 10, ms: 0 });
    const legacy = await WireClient.initialized(api);
    await legacy.result('tools/call', { name: 'echo', arguments: { text: 'held' } });
    await legacy.result('tools/call', { name: 'echo', arguments: { text: 1 }, task: {} });
    await counted('longshore_attempts_lost_total', {}, 1);
    await modern.result('tasks/cancel', { taskId: hanging });
  });
  afterAll(async () => {
    await stack.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('count what was accepted, by what asked for it and how it is answered', async () => {
    const name = 'longshore_tasks_accepted_total';
    const echo = { tool: 'echo', queue: 'default', method: 'tools/call' };
    await counted(name, { ...echo, era: 'modern', delivery: 'task' }, 3);
    await counted(name, { ...echo, era: 'legacy', delivery: 'task' }, 1);
    await counted(name, { ...echo, era: 'legacy', delivery: 'held' }, 1);
    await counted(name, {}, 9);
    await counted('longshore_accept_seconds_count', { era: 'modern' }, 7);
  });

  it('count what ended, and how', async () => {
    const name = 'longshore_tasks_finished_total';
    await counted(name, { tool: 'echo', outcome: 'result' }, 4);
    // The one whose arguments do not fit never came to a worker.
    await counted(name, { tool: 'echo', outcome: 'tool_error' }, 1);
    await counted(name, { tool: 'fail', outcome: 'tool_error' }, 1);
    await counted(name, { tool: 'flaky', outcome: 'result' }, 1);
    await counted(name, { tool: 'squares', method: 'tools/call' }, 1);
    await counted('longshore_tasks_cancelled_total', { tool: 'hang', by: 'client' }, 1);
    await counted('longshore_tasks_cancelled_total', {}, 1);
  });

  it('count attempts, and measure waits and runs', async () => {
    await counted('longshore_attempts_retried_total', {}, 1);
    await counted('longshore_attempts_retried_total', { tool: 'flaky' }, 1);
    await counted('longshore_attempts_started_total', { tool: 'flaky' }, 2);
    await counted('longshore_run_seconds_count', { tool: 'flaky' }, 2);
    await counted('longshore_queue_wait_seconds_count', { tool: 'flaky' }, 1);
    await counted('longshore_attempts_lost_total', { tool: 'hang', queue: 'default' }, 1);
    await counted('longshore_queue_wait_seconds_count', { tool: 'hang' }, 0);
  });

  it('count items of batches by their outcome', async () => {
    await counted('longshore_batch_items_total', { tool: 'squares', outcome: 'done' }, 9);
    await counted('longshore_batch_items_total', { tool: 'squares', outcome: 'failed' }, 1);
  });

  it('count what goes to the audit trail, and messages to webhooks', async () => {
    for (let look = 0; look < 3; look += 1)
      await modern.request('tasks/get', { taskId: randomUUID() });
    await counted('longshore_audited_total', { action: 'lookups_failed' }, 3);
    const created = await fetch(new URL('/api/v1/webhooks', stack.urls[0]), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: `http://127.0.0.1:${nobody}/hook` }),
    });
    expect(created.status).toBe(200);
    await modern.startTask('fail', { message: 'as asked' });
    await counted('longshore_webhook_attempts_total', { end: 'failed' }, 1);
  });

  it('count an open task that is over its ttl as expired', async () => {
    const wire = await WireClient.initialized(stack.urls[0] ?? '');
    await wire.result('tools/call', { name: 'hang', arguments: {}, task: { ttl: 1_000 } });
    await counted('longshore_tasks_expired_total', { tool: 'hang', queue: 'default' }, 1);
    expect(sumOf(await scrapes(), 'longshore_sweeper_found_total', { kind: 'expired' })).toBe(1);
  });

  it('say where queues stand, and which tools are offered', async () => {
    for (let task = 0; task < 3; task += 1) await modern.startTask('hang');
    const queue = { queue: 'default' };
    await waitFor(
      async () => {
        const seen = await scrapes();
        const waiting = sumOf(seen, 'longshore_queue_waiting', queue);
        const ready = sumOf(seen, 'longshore_tool_ready', { tool: 'hang', ...queue });
        return waiting === 1 && ready === 1 && sumOf(seen, 'longshore_queue_running', queue) === 2;
      },
      { what: 'a look at the queues', timeoutMs: 30_000 },
    );
    const [api] = await scrapes();
    expect(sumOf([api], 'longshore_queue_workers', queue)).toBe(1);
    expect(sumOf([api], 'longshore_queue_seats', queue)).toBe(2);
    expect(sumOf([api], 'longshore_queue_oldest_wait_seconds', queue)).toBeGreaterThan(0);
    expect(sumOf([api], 'longshore_tool_offered', { tool: 'echo' })).toBe(1);
    expect(sumOf(await scrapes(), 'longshore_attempts_running')).toBe(2);
  });

  it('measure the bus and the pool of connections of each process', async () => {
    for (const one of await scrapes()) {
      expect(sumOf([one], 'longshore_bus_lag_seconds')).toBeGreaterThan(0);
      expect(sumOf([one], 'longshore_bus_lag_seconds')).toBeLessThan(Infinity);
      expect(sumOf([one], 'longshore_database_connections')).toBeGreaterThan(0);
      expect(sumOf([one], 'longshore_relay_lag_seconds')).toBeGreaterThan(0);
    }
  });

  it('count the streams that are open', async () => {
    const stream = await modern.open('subscriptions/listen', { notifications: {} });
    await waitFor(async () => sumOf(await scrapes(), 'longshore_open_streams') === 1, {
      what: 'the stream is counted',
    });
    stream.close();
    await waitFor(async () => sumOf(await scrapes(), 'longshore_open_streams') === 0, {
      what: 'the stream is gone',
    });
  });

  it('are those of docs/metrics.md, with those types and labels', async () => {
    const [api, worker = new Map()] = await scrapes();
    const documented = documentedMetrics();
    for (const [process, families] of [['API', api] as const, ['worker', worker] as const]) {
      const own = documented.filter(({ processes }) => processes.includes(process));
      const types = Object.fromEntries([...families].map(([name, { type }]) => [name, type]));
      expect(types).toEqual(Object.fromEntries(own.map(({ name, type }) => [name, type])));
    }
    for (const { name, labels } of documented) {
      const families = [api, worker].flatMap((one) => one.get(name) ?? []);
      const samples = families.flatMap((family) => family.samples);
      // What Node counts comes when it happens; what is ours has all happened here.
      if (samples.length === 0 && name.startsWith('longshore_nodejs_')) continue;
      const seen = new Set(families.flatMap((family) => [...family.labels]));
      expect({ name, labels: [...seen].sort() }).toEqual({ name, labels: [...labels].sort() });
      expect({ name, isSeen: samples.length > 0 }).toEqual({ name, isSeen: true });
    }
  });

  it('are read from a worker with its token, and nothing else is', async () => {
    const worker = `http://127.0.0.1:${ports[0]}`;
    const answered = async (url: string, init: RequestInit = {}) => (await fetch(url, init)).status;
    const headers = bearer(TOKEN);
    expect(await answered(`${worker}/metrics`, { headers })).toBe(200);
    expect(await answered(`${worker}/metrics`)).toBe(401);
    expect(await answered(`${worker}/metrics`, { headers: bearer(`${TOKEN}s`) })).toBe(401);
    expect(await answered(`${worker}/metrics`, { headers, method: 'POST' })).toBe(405);
    expect(await answered(`${worker}/healthz`, { headers })).toBe(404);
  });

  it('are read from an API with keys by those who run it', async () => {
    const url = metricsOf(await stack.startApi({ AUTH: 'api-key', METRICS_TOKEN: TOKEN }));
    const answered = async (headers: Record<string, string>) =>
      (await fetch(url, { headers })).status;
    const operator = await createKey(stack, { scopes: ['ops:read'] });
    const user = await createKey(stack);
    expect(await answered({})).toBe(401);
    expect(await answered(bearer(user.key))).toBe(403);
    expect(await answered(bearer(operator.key))).toBe(200);
    expect(await answered(bearer(TOKEN))).toBe(200);
    expect(await answered(bearer('token-of-somebody'))).toBe(401);
  });

  it('are told to no web page that is not allowed', async () => {
    const headers = { origin: 'http://evil.example' };
    expect((await fetch(metricsOf(stack.urls[0] ?? ''), { headers })).status).toBe(403);
  });
}

describeInMode('metrics', 'redis', metrics);
