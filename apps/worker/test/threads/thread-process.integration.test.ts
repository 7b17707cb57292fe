import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TaskId } from '@longshore/core';
import { waitFor } from '@longshore/testing';
import { type SpawnedProcess, spawnApp } from '@longshore/testing/processes';
import pg from 'pg';
import { WorkerBench } from '../bench/worker-bench.ts';

let bench: WorkerBench;
let dir: string;
let client: pg.Client;
beforeEach(async () => {
  bench = await WorkerBench.open('postgres');
  dir = mkdtempSync(path.join(tmpdir(), 'longshore-threads-'));
  client = new pg.Client({ connectionString: bench.databaseUrl });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await bench.close();
  rmSync(dir, { recursive: true });
});

const spawnWorker = (over: Readonly<Record<string, string>> = {}): Promise<SpawnedProcess> =>
  spawnApp('worker', [], {
    env: {
      DATABASE_URL: bench.databaseUrl,
      REDIS_URL: undefined,
      DATA_DIR: path.join(dir, 'data'),
      PLUGINS: path.join(import.meta.dirname, '..', 'fixtures', 'isolated.js'),
      BUNDLED_PLUGINS: 'false',
      LEASE_MS: '2000',
      THREADS: '1',
      LOG_LEVEL: 'info',
      ...over,
    },
    ready: /worker ready/,
  });
const started = (attempt: number) =>
  waitFor(() => existsSync(path.join(dir, `started-${attempt}`)), { what: 'the tool has started' });
const leaseEnd = async (id: TaskId): Promise<string> => {
  const { rows } = await client.query<{ at: string }>(
    'SELECT lease_expires_at::text AS at FROM tasks WHERE id = $1',
    [id],
  );
  return rows[0]?.at ?? '';
};

const OUTSIDE = `
  import { isMainThread } from 'node:worker_threads';
  import { defineTool, z } from '@longshore/plugin';
  import '@longshore/plugin/files';
  export const tool = defineTool({
    name: 'outside_NAME',
    description: 'For tests.',
    input: z.object({}),
    task: { isolate: 'thread' },
    run: () => 'in a thread: ' + !isMainThread,
  });`;

describe('a worker whose threads compute', () => {
  it('renews its leases and runs other tools while one spins, and gives plugins no secrets', async () => {
    // Plugins where no `@longshore/plugin` is found: they get the worker's, in threads as well.
    const outside = ['ts', 'mjs'].map((ending) => path.join(dir, `outside.${ending}`));
    for (const file of outside)
      writeFileSync(file, OUTSIDE.replace('NAME', path.extname(file).slice(1)));
    const secrets = { AWS_SECRET_ACCESS_KEY: 'x', SOME_API_KEY: 'x', PLUGIN_ENV: 'GRANTED, TZ' };
    const plugins = [path.join(import.meta.dirname, '..', 'fixtures', 'isolated.js'), ...outside];
    const id = await bench.submit('spin', { dir });
    const written = path.join(dir, 'data', 'files');
    const ofGone = path.join(written, 'ann', randomUUID(), 'folder');
    const ofTask = path.join(written, 'ann', id);
    for (const folder of [ofGone, ofTask]) mkdirSync(folder, { recursive: true, mode: 0o755 });
    const worker = await spawnWorker({ ...secrets, GRANTED: 'x', PLUGINS: plugins.join() });
    await started(1);
    // Six beats of a quarter of a lease each: more than the lease it was claimed with.
    const ends = new Set<string>();
    await waitFor(async () => ends.add(await leaseEnd(id)).size > 6, {
      what: 'the lease was renewed six times',
    });
    expect(await bench.text(await bench.submit('plain'))).toBe('in the main thread: true');
    const inMain = JSON.parse(await bench.text(await bench.submit('main_environment')));
    writeFileSync(path.join(dir, 'go'), '');
    expect(await bench.text(id)).toBe('attempt 1');
    const inThread = JSON.parse(await bench.text(await bench.submit('environment')));
    expect(await bench.text(await bench.submit('outside_ts'))).toBe('in a thread: true');
    expect(await bench.text(await bench.submit('outside_mjs'))).toBe('in a thread: true');
    const environments: string[][] = [inMain.script, inThread.thread, inThread.script];
    for (const names of environments) {
      expect(names).toEqual(expect.arrayContaining(['PATH', 'GRANTED']));
      expect(
        names.filter((name) => /DATABASE|REDIS|AWS|API_KEY|DATA_DIR|PLUGINS/.test(name)),
      ).toEqual([]);
    }
    await waitFor(() => !existsSync(path.dirname(ofGone)), {
      what: 'what was written for a task that is gone is deleted',
    });
    expect(existsSync(ofTask)).toBe(true);
    for (const file of [written, path.join(dir, 'started-1')]) {
      expect(statSync(file).mode & 0o077).toBe(0);
    }
    expect(await worker.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  }, 60_000);

  it('ends its threads when it stops, also one that ignores its signal', async () => {
    const worker = await spawnWorker({ SHUTDOWN_GRACE_MS: '100', LEASE_MS: '600000' });
    const id = await bench.submit('spin', { dir });
    await started(1);
    expect(await worker.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(worker.logs()).toMatch(/worker stopped/);
    expect(await bench.events(id)).toEqual(['created', 'started', 'released']);
  }, 60_000);

  it.each([
    ['exit', /The tool ended its thread with exit code 3\./],
    ['throw', /ended with an error that nobody caught: beside all promises/],
    ['memory', /needed more memory than its thread has \(32 MiB, THREAD_HEAP_MIB\)/],
  ])(
    'outlives a thread that dies: %s',
    async (how, text) => {
      const worker = await spawnWorker({ THREAD_HEAP_MIB: '32' });
      const failed = await bench.submit('die', { how });
      expect(await bench.text(failed)).toMatch(text);
      const retried = await bench.submit('die', { how }, { maxAttempts: 2 });
      expect(await bench.text(retried)).toBe('attempt 2');
      expect(await bench.events(retried)).toEqual([
        'created',
        'started',
        'retried',
        'started',
        'finished',
      ]);
      expect(await bench.text(await bench.submit('plain'))).toBe('in the main thread: true');
      expect(await worker.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    },
    60_000,
  );

  it('survives a rejected promise that is left behind in a thread', async () => {
    const worker = await spawnWorker();
    expect(await bench.text(await bench.submit('stray'))).toBe('fine');
    await worker.waitForLine(/rejected promise was not handled/);
    expect(JSON.parse(await bench.text(await bench.submit('count')))).toMatchObject({ runs: 1 });
    await worker.kill('SIGTERM');
  }, 60_000);
});
