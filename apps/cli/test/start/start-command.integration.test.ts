import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadConfig } from '@longshore/config';
import { type Logger, silentLogger } from '@longshore/core';
import { waitFor } from '@longshore/testing';
import { isRunning } from '../../src/database/process-identity.ts';
import { startCommand } from '../../src/start/start-command.ts';

const fixture = (name: string) => path.join(import.meta.dirname, '..', 'fixtures', name);
const CLI = path.join(import.meta.dirname, '..', '..', 'dist', 'main.js');

interface Run {
  readonly pid: number;
  readonly port: string;
  readonly databaseUrl: string;
}

describe('start', () => {
  let dir: string;
  let stop: AbortController;
  let kill: AbortController;
  let ended: Promise<number>;
  let printed: string[];
  let errors: string[];

  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'longshore-start-'));
    stop = new AbortController();
    kill = new AbortController();
    ended = Promise.resolve(0);
    printed = [];
    errors = [];
  });
  afterEach(async () => {
    stop.abort();
    await Promise.allSettled([ended]);
    rmSync(dir, { recursive: true });
  }, 30_000);

  function start(variables: Readonly<Record<string, string>> = {}): void {
    const env = {
      ...process.env,
      DATABASE_URL: undefined,
      DATA_DIR: path.join(dir, 'data'),
      LOG_LEVEL: 'silent',
      PORT: '0',
      PROGRAM_DIR: dir,
      ...variables,
    };
    const log: Logger = {
      ...silentLogger,
      error: (fields, message) => void errors.push(`${message} ${JSON.stringify(fields)}`),
    };
    ended = startCommand({
      config: loadConfig(env),
      env,
      log,
      stop: stop.signal,
      kill: kill.signal,
      print: (line) => void printed.push(line),
      show: () => {},
      entries: { api: fixture('program-api.js'), worker: fixture('program-worker.js'), cli: CLI },
    });
  }

  /** What the runs of a program noted about themselves, oldest first. */
  const runs = (name: 'api' | 'worker'): Run[] =>
    readdirSync(dir)
      .filter((file) => file.startsWith(`${name}-`))
      .map((file): Run => JSON.parse(readFileSync(path.join(dir, file), 'utf8')))
      .sort((a, b) => a.pid - b.pid);
  const ready = () => waitFor(() => printed[0], { what: 'the ready line', timeoutMs: 30_000 });
  const firstRun = (name: 'api' | 'worker'): Run => {
    const [run] = runs(name);
    if (run === undefined) throw new Error(`${name} never ran`);
    return run;
  };

  it('prints one line with the URL, gives the children its database, and leaves nothing behind', async () => {
    start({ WORKERS: '2' });
    expect(await ready()).toBe('longshore ready at http://127.0.0.1:4711/mcp');
    await waitFor(() => runs('worker').length === 2, { what: 'both workers run' });
    const children = [...runs('api'), ...runs('worker')];
    const postmaster = readFileSync(path.join(dir, 'data/postgres/pg/postmaster.pid'), 'utf8');
    const postgresPid = Number(postmaster.split('\n')[0]);
    expect(new Set(children.map(({ databaseUrl }) => databaseUrl)).size).toBe(1);
    expect(isRunning(postgresPid)).toBe(true);
    stop.abort();
    await expect(ended).resolves.toBe(0);
    expect(children.filter(({ pid }) => isRunning(pid))).toEqual([]);
    expect(isRunning(postgresPid)).toBe(false);
    expect(printed).toHaveLength(1);
    expect(errors).toEqual([]);
  }, 60_000);

  it('starts a killed worker and a killed API again, the API on the same port', async () => {
    start();
    await ready();
    for (const name of ['worker', 'api'] as const) {
      process.kill(firstRun(name).pid, 'SIGKILL');
      await waitFor(() => runs(name).length === 2, { what: `${name} runs again` });
    }
    expect(runs('api').map(({ port }) => port)).toEqual(['4711', '4711']);
    expect(errors).toHaveLength(2);
    expect(errors[0]).toMatch(/child process died.*"worker 1".*SIGKILL/);
  }, 60_000);

  it('gives up at once when a program refuses to start', async () => {
    start({ PROGRAM_API: 'refuses' });
    await expect(ended).rejects.toThrow(/^giving up: api did not start \(exit code 1\)/);
    expect(runs('worker').filter(({ pid }) => isRunning(pid))).toEqual([]);
    expect(printed).toEqual([]);
  }, 60_000);

  it('kills a child that does not heed SIGTERM', async () => {
    start({ PROGRAM_WORKER: 'stubborn', SHUTDOWN_GRACE_MS: '0' });
    await ready();
    const { pid } = firstRun('worker');
    stop.abort();
    await expect(ended).resolves.toBe(0);
    expect(isRunning(pid)).toBe(false);
  }, 60_000);

  it('starts everything anew when the embedded PostgreSQL is killed', async () => {
    start();
    await ready();
    const before = firstRun('api');
    const postmaster = readFileSync(path.join(dir, 'data/postgres/pg/postmaster.pid'), 'utf8');
    process.kill(Number(postmaster.split('\n')[0]), 'SIGKILL');
    const after = await waitFor(() => runs('api').find(({ pid }) => pid !== before.pid), {
      what: 'a new API',
      timeoutMs: 30_000,
    });
    expect(after.port).toBe('4711');
    expect(after.databaseUrl).not.toBe(before.databaseUrl);
    expect(isRunning(before.pid)).toBe(false);
    expect(errors).toContainEqual(expect.stringMatching(/starting everything anew/));
  }, 60_000);

  it('starts nothing when it is stopped before', async () => {
    start();
    stop.abort();
    await expect(ended).resolves.toBe(0);
    expect(existsSync(path.join(dir, 'data/postgres'))).toBe(false);
  });

  it('can be stopped while PostgreSQL starts', async () => {
    start();
    await waitFor(() => existsSync(path.join(dir, 'data/postgres')), {
      what: 'PostgreSQL is about to start',
      timeoutMs: 30_000,
    });
    stop.abort();
    await expect(ended).resolves.toBe(0);
    expect(runs('api')).toEqual([]);
  }, 60_000);
});
