import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RESOURCES_TOPIC } from '@longshore/core';
import { freePort } from '@longshore/embedded';
import { describeWithRedis, type Mode, modesInsteadOf, waitFor } from '@longshore/testing';
import { type PostgresTap, startPostgresTap } from '@longshore/testing/network';
import { type SpawnedProcess, spawnApp, spawnProcess } from '@longshore/testing/processes';
import { createTestDatabase } from '@longshore/testing/servers';
import { accepted, WorkerBench } from './bench/worker-bench.ts';

const fixture = (name: string) => path.join(import.meta.dirname, 'fixtures', name);

const LEASE_MS = 1_000;

const tests = (mode: Mode) => () => {
  let bench: WorkerBench;
  let dir: string;
  let link: PostgresTap | null = null;
  const workers: SpawnedProcess[] = [];
  beforeEach(async () => {
    bench = await WorkerBench.open(mode);
    dir = mkdtempSync(path.join(tmpdir(), 'longshore-worker-'));
  });
  afterEach(async () => {
    // One that is left takes the jobs of the next test: queues of one Redis have one name.
    for (const worker of workers.splice(0)) if (worker.isRunning()) await worker.kill('SIGKILL');
    await link?.close();
    link = null;
    await bench.close();
    rmSync(dir, { recursive: true });
  });

  const environment = (over: Readonly<Record<string, string>> = {}) => ({
    DATABASE_URL: bench.databaseUrl,
    REDIS_URL: bench.redisUrl ?? undefined,
    DATA_DIR: path.join(dir, 'data'),
    PLUGINS: fixture('plugin.js'),
    BUNDLED_PLUGINS: 'false',
    LEASE_MS: String(LEASE_MS),
    LOG_LEVEL: 'info',
    FIXTURE_DIR: dir,
    ...over,
  });
  const spawnWorker = async (
    over: Readonly<Record<string, string>> = {},
  ): Promise<SpawnedProcess> => {
    const worker = await spawnApp('worker', [], { env: environment(over), ready: /worker ready/ });
    workers.push(worker);
    return worker;
  };
  const noted = (name: string) =>
    waitFor(() => existsSync(path.join(dir, name)) && readFileSync(path.join(dir, name), 'utf8'), {
      what: `the tool noted ${name}`,
    });
  const go = () => writeFileSync(path.join(dir, 'go'), '');
  const toolNames = async () =>
    (await bench.database.catalogueStore.load(60_000)).tools.map(({ name }) => name).sort();

  it('says when it is ready and with what, works, and leaves the catalogue at SIGTERM', async () => {
    const worker = await spawnWorker();
    expect(JSON.parse(await worker.waitForLine(/worker ready/))).toMatchObject({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      workerId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      tools: ['ask', 'calls', 'careless', 'deaf', 'echo', 'hold', 'batch', 'retry_failed'],
      queues: ['default'],
    });
    expect(await toolNames()).toEqual([
      'ask',
      'batch',
      'calls',
      'careless',
      'deaf',
      'echo',
      'hold',
      'retry_failed',
    ]);
    const id = await bench.submit('echo', { text: 'a secret argument' });
    expect(await bench.text(id)).toBe('a secret argument');
    expect(await worker.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(await toolNames()).toEqual([]);
    expect(worker.logs()).toContain(id);
    expect(worker.logs()).not.toContain('a secret argument');
  }, 60_000);

  it('has its task finished by another worker when it is killed', async () => {
    const first = await spawnWorker();
    const id = await bench.submit('hold');
    expect(Number(await noted('started-1'))).toBe(first.pid);
    const second = await spawnWorker();
    await first.kill('SIGKILL');
    expect(Number(await noted('started-2'))).toBe(second.pid);
    go();
    expect(await bench.text(id)).toBe('attempt 2');
  }, 60_000);

  it('is ready from when it can take tasks until it stops, but not while Postgres is away', async () => {
    const cut = await startPostgresTap(bench.databaseUrl);
    link = cut;
    const port = await freePort();
    const statusOf = (where: string) =>
      fetch(`http://127.0.0.1:${port}${where}`).then(
        ({ status }) => status,
        () => null,
      );
    const worker = await spawnWorker({ DATABASE_URL: cut.url, HEALTH_PORT: String(port) });
    await waitFor(async () => (await statusOf('/readyz')) === 200, { what: 'it is ready' });
    cut.hold();
    await waitFor(async () => (await statusOf('/readyz')) === 503, { what: 'it is not ready' });
    expect(await statusOf('/healthz')).toBe(200);
    cut.resume();
    await waitFor(async () => (await statusOf('/readyz')) === 200, { what: 'it is ready again' });
    await bench.submit('hold');
    await noted('started-1');
    worker.signal('SIGTERM');
    await waitFor(async () => (await statusOf('/readyz')) === 503, { what: 'it stops' });
    go();
    expect(await worker.exited).toEqual({ code: 0, signal: null });
  }, 60_000);

  // With Redis the job stays with the worker that is cut off, and the sweeper brings another one.
  if (mode === 'postgres') {
    it('leaves alone what the next attempt has started when its own comes back too late', async () => {
      const cut = await startPostgresTap(bench.databaseUrl);
      link = cut;
      const env = { LEASE_MS: '2000' };
      const first = await spawnWorker({ ...env, DATABASE_URL: cut.url });
      const id = await bench.submit('calls');
      expect(Number(await noted('called'))).toBe(first.pid);
      const second = await spawnWorker(env);
      cut.hold();
      writeFileSync(path.join(dir, 'return'), '');
      expect(Number(await noted('started-1'))).toBe(second.pid);
      cut.resume();
      // Given up when the next attempt took its time to start; either way it looks after what it has started.
      await first.waitForLine(/"written":"(refused|gave_up)"/);
      await waitFor(() => cut.statements.includes('cancel-descendants'), {
        what: 'the first worker looks after what it has started',
      });
      // It ends with its statements.
      expect(await first.kill('SIGTERM')).toEqual({ code: 0, signal: null });
      go();
      expect(await bench.text(id)).toBe('attempt 2 of calls, attempt 1 of hold');
    }, 60_000);
  }

  it('leaves its question behind when it is killed: the answer finds the next worker', async () => {
    const first = await spawnWorker();
    const id = await bench.submit('ask');
    const [before] = await bench.questions(id, 'elicit-1');
    await first.kill('SIGKILL');
    const [after] = await bench.questions(id, 'elicit-1');
    expect(after).toEqual(before);
    const answered = await bench.answer(id, { 'elicit-1': accepted({ name: 'Ann' }) });
    expect(answered.keys).toEqual(['elicit-1']);
    await spawnWorker();
    expect(await bench.text(id)).toBe('attempt 2: Ann');
  }, 60_000);

  it('announces prompts and resources, reads one, and publishes that it changed', async () => {
    const heard: unknown[] = [];
    await bench.messaging.bus.subscribe(RESOURCES_TOPIC, (event) => void heard.push(event));
    await spawnWorker();
    const { prompts, resources } = await bench.database.catalogueStore.load(60_000);
    expect(prompts.map(({ name }) => name)).toEqual(['hello']);
    expect(resources.map(({ name }) => name)).toEqual(['news']);
    const read = { uri: 'fixture://news' };
    const id = await bench.submit(read.uri, read, { requestMethod: 'resources/read' });
    expect((await bench.outcome(id)).outcome).toMatchObject({
      result: { contents: [{ uri: 'fixture://news', text: 'old news' }] },
    });
    await waitFor(() => heard.length > 0, { what: 'the change is published' });
    expect(heard).toEqual([{ kind: 'resource-updated', uri: 'fixture://news' }]);
  }, 60_000);

  it('hands its task over at SIGTERM and exits with 0, long before the lease ends', async () => {
    const env = { LEASE_MS: '600000', SHUTDOWN_GRACE_MS: '100' };
    const first = await spawnWorker(env);
    const id = await bench.submit('hold');
    await noted('started-1');
    const second = await spawnWorker(env);
    expect(await first.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    await noted('aborted-1-drain');
    expect(Number(await noted('started-2'))).toBe(second.pid);
    go();
    expect(await bench.text(id)).toBe('attempt 2');
  }, 60_000);

  // Whoever brings the jobs.
  if (modesInsteadOf('postgres').includes(mode)) {
    it('exits with 0 although a tool ignores its signal', async () => {
      const worker = await spawnWorker({ SHUTDOWN_GRACE_MS: '100' });
      await bench.submit('deaf');
      await noted('started-1');
      expect(await worker.kill('SIGINT')).toEqual({ code: 0, signal: null });
    }, 60_000);

    it('exits at once at a second signal', async () => {
      const worker = await spawnWorker({ SHUTDOWN_GRACE_MS: '3600000' });
      await bench.submit('hold');
      await noted('started-1');
      worker.signal('SIGTERM');
      await worker.waitForLine(/worker is stopping/);
      // One that comes within half a second counts as the first one, forwarded by npm.
      const again = setInterval(() => worker.signal('SIGTERM'), 100);
      expect(await worker.exited).toEqual({ code: 1, signal: null });
      clearInterval(again);
    }, 60_000);

    it('stops when whoever started it is killed', async () => {
      const parent = await spawnProcess(process.execPath, [fixture('parent.js')], {
        env: environment(),
        ready: /message/,
      });
      const [, message, pid] = /message (\S+) of (\d+)/.exec(parent.logs()) ?? [];
      expect(JSON.parse(message ?? '')).toEqual({ kind: 'ready' });
      await parent.kill('SIGKILL');
      await waitFor(() => !existsSync(`/proc/${pid}/exe`), { what: 'the worker is gone' });
      expect(await toolNames()).toEqual([]);
    }, 60_000);

    it('survives a plugin that leaves a rejected promise behind', async () => {
      const worker = await spawnWorker();
      expect(await bench.text(await bench.submit('careless'))).toBe('fine');
      await worker.waitForLine(/rejected promise was not handled/);
      expect(await bench.text(await bench.submit('echo', { text: 'alive' }))).toBe('alive');
    }, 60_000);

    it('serves and announces only the queues it is told to', async () => {
      const refused = await spawnApp('worker', [], { env: environment({ WORKER_QUEUES: 'none' }) });
      expect(await refused.exited).toMatchObject({ code: 1 });
      expect(refused.logs()).toMatch(/WORKER_QUEUES names no queue.*they use: default/);
      const worker = await spawnWorker({ WORKER_QUEUES: 'default,other' });
      expect(worker.logs()).toMatch(/queues of WORKER_QUEUES have no tools/);
    }, 60_000);
  }
};

describeWithRedis('a worker process with Redis', tests('redis'));
describe('a worker process with Postgres only', tests('postgres'));

describe('a worker process that can not work', () => {
  const failing = async (env: Readonly<Record<string, string | undefined>>) => {
    const worker = await spawnApp('worker', [], {
      env: {
        DATABASE_URL: undefined,
        REDIS_URL: undefined,
        PLUGINS: fixture('plugin.js'),
        BUNDLED_PLUGINS: 'false',
        ...env,
      },
    });
    expect(await worker.exited).toEqual({ code: 1, signal: null });
    expect(worker.logs()).not.toMatch(/^\s+at /m);
    return worker.logs();
  };

  it('lists everything that is wrong with the environment', async () => {
    const logs = await failing({ LEASE_MS: 'soon', WORKER_CONCURRENCY: '0' });
    expect(logs).toMatch(/LEASE_MS: must be a whole number/);
    expect(logs).toMatch(/WORKER_CONCURRENCY: /);
  }, 30_000);

  it('says that the port of its health check is taken', async () => {
    const database = await createTestDatabase();
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const logs = await failing({ DATABASE_URL: database.url, HEALTH_PORT: String(port) });
    expect(logs).toMatch(`can not listen on HOST=127.0.0.1 HEALTH_PORT=${port}`);
    taken.close();
    await database.drop();
  }, 30_000);

  it('says that it needs DATABASE_URL', async () => {
    expect(await failing({})).toMatch(/DATABASE_URL is not set/);
  }, 30_000);

  it('says that the database does not answer, without the password', async () => {
    const port = await freePort();
    const logs = await failing({ DATABASE_URL: `postgresql://me:geheim@127.0.0.1:${port}/x` });
    expect(logs).toMatch(/does not let us in.*Check DATABASE_URL/);
    expect(logs).not.toMatch(/geheim/);
  }, 30_000);

  it('says that the database is not migrated', async () => {
    const database = await createTestDatabase({ empty: true });
    expect(await failing({ DATABASE_URL: database.url })).toMatch(/npm run migrate/);
    await database.drop();
  }, 30_000);

  it('says that Redis does not answer', async () => {
    const database = await createTestDatabase();
    const port = await freePort();
    const logs = await failing({
      DATABASE_URL: database.url,
      REDIS_URL: `redis://127.0.0.1:${port}`,
    });
    expect(logs).toMatch(/Redis/);
    await database.drop();
  }, 60_000);

  it('names the plugin that can not be loaded, and why', async () => {
    const logs = await failing({
      DATABASE_URL: 'postgresql://127.0.0.1:1/x',
      PLUGINS: `${fixture('throws.js')},@nowhere/plugin`,
    });
    expect(logs).toMatch(/plugin '\S+throws.js': its import failed: this plugin has no licence/);
    expect(logs).toMatch(/plugin '@nowhere\/plugin': not found/);
  }, 30_000);
});
