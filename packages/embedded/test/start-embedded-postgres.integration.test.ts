import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { guard, type SpawnedProcess, spawnProcess } from '@longshore/testing/processes';
import pg from 'pg';
import {
  type EmbeddedPostgres,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../src/index.ts';
import { isServing } from '../src/postmaster.ts';

// Real servers and processes on a machine that others use as well.
jest.setTimeout(60_000);

const START = path.join(import.meta.dirname, 'fixtures/start.js');

/** What the first start makes, which takes longer than all else: the tests that are not about it have a copy. */
let made: string;
let dir: string;
const started: EmbeddedPostgres[] = [];
/** What would be left if the test run was killed. */
const withdrawals: (() => void)[] = [];

beforeAll(async () => {
  made = mkdtempSync(path.join(tmpdir(), 'longshore-embedded-'));
  const withdraw = guard({ remove: made });
  const postgres = await startEmbeddedPostgres({ dir: made });
  await postgres.stop();
  withdraw();
});
afterAll(() => rmSync(made, { recursive: true }));

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'longshore-embedded-'));
  withdrawals.push(guard({ remove: dir }));
});

afterEach(async () => {
  for (const postgres of started.splice(0)) await postgres.stop();
  // Whatever a failed test left: the file names the pid.
  const leftover = serverPid();
  if (leftover !== null) process.kill(leftover, 'SIGKILL');
  await waitFor(() => leftover === null || !isAlive(leftover), { what: 'the server is gone' });
  rmSync(dir, { recursive: true, force: true, maxRetries: 20 });
  for (const withdraw of withdrawals.splice(0)) withdraw();
});

/** What an earlier start has left, in place of nothing. */
const copyTheFirst = (): Buffer => execFileSync('cp', ['-a', `${made}/.`, dir]);

async function start(): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dir });
  started.push(postgres);
  withdrawals.push(guard({ pid: postgres.pid, signal: 'SIGQUIT' }));
  return postgres;
}

interface Report {
  readonly url: string;
  readonly pid: number;
  readonly reused: boolean;
}

/** Starts the server from a process of its own. */
async function startElsewhere(): Promise<[SpawnedProcess, Report]> {
  const parent = await spawnProcess(process.execPath, [START, dir], { ready: /^\{/ });
  const report: Report = JSON.parse(await parent.waitForLine(/^\{/));
  withdrawals.push(guard({ pid: report.pid, signal: 'SIGQUIT' }));
  return [parent, report];
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

function serverPid(): number | null {
  const file = path.join(dir, 'pg/postmaster.pid');
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : null;
}

/** Not a zombie, which is what a server without parent may stay for a while. */
function isAlive(pid: number): boolean {
  return isServing(pid, path.join(dir, 'pg'));
}

it('starts a server with durable settings, and stops it', async () => {
  const postgres = await start();
  expect(postgres.reused).toBe(false);
  expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect(
    await query(
      postgres.url,
      `SELECT name, setting FROM pg_settings WHERE name IN
       ('fsync', 'synchronous_commit', 'full_page_writes', 'max_connections', 'listen_addresses') ORDER BY name`,
    ),
  ).toEqual([
    { name: 'fsync', setting: 'on' },
    { name: 'full_page_writes', setting: 'on' },
    { name: 'listen_addresses', setting: '127.0.0.1' },
    { name: 'max_connections', setting: '200' },
    { name: 'synchronous_commit', setting: 'on' },
  ]);

  await postgres.stop();
  expect(isAlive(postgres.pid)).toBe(false);
});

it('ends open sessions when it stops, and may be stopped twice', async () => {
  copyTheFirst();
  const postgres = await start();
  const client = new pg.Client(postgres.url);
  const broken = new Promise((resolve) => client.on('error', resolve));
  await client.connect();
  await Promise.all([postgres.stop(), postgres.stop()]);
  await expect(postgres.stop()).resolves.toBeUndefined();
  await broken;
  expect(isAlive(postgres.pid)).toBe(false);
});

it('keeps the data for the next start', async () => {
  copyTheFirst();
  const first = await start();
  await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS n');
  await first.stop();
  const second = await start();
  expect(second.reused).toBe(false);
  expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 42 }]);
});

it('asks for a password, and keeps it from other users', async () => {
  copyTheFirst();
  const postgres = await start();
  const wrong = new URL(postgres.url);
  wrong.password = 'wrong';
  await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
  expect(statSync(path.join(dir, 'pg.password')).mode & 0o777).toBe(0o600);
});

it('reuses the server of a killed process, with its data, and stops it then', async () => {
  copyTheFirst();
  const [parent, report] = await startElsewhere();
  await query(report.url, 'CREATE TABLE kept AS SELECT 42 AS n');
  await parent.kill('SIGKILL');
  expect(isAlive(report.pid)).toBe(true);

  const postgres = await start();
  expect(postgres).toMatchObject({ reused: true, pid: report.pid });
  expect(await query(postgres.url, 'SELECT n FROM kept')).toEqual([{ n: 42 }]);
  await postgres.stop();
  expect(isAlive(report.pid)).toBe(false);
});

it('recovers when server and parent were both killed', async () => {
  copyTheFirst();
  const [parent, report] = await startElsewhere();
  await query(report.url, 'CREATE TABLE kept AS SELECT 42 AS n');
  process.kill(report.pid, 'SIGKILL');
  await parent.kill('SIGKILL');

  const postgres = await start();
  expect(postgres.reused).toBe(false);
  expect(await query(postgres.url, 'SELECT n FROM kept')).toEqual([{ n: 42 }]);
});

it('leaves a shared server running while the process that started it lives', async () => {
  copyTheFirst();
  const [parent, report] = await startElsewhere();
  const postgres = await start();
  expect(postgres).toMatchObject({ reused: true, pid: report.pid });
  await postgres.stop();
  expect(await query(report.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);

  await expect(parent.kill('SIGTERM')).resolves.toEqual({ code: 0, signal: null });
  expect(isAlive(report.pid)).toBe(false);
});

it('stops a shared server when the process that started it was killed meanwhile', async () => {
  copyTheFirst();
  const [parent, report] = await startElsewhere();
  const postgres = await start();
  await parent.kill('SIGKILL');
  await postgres.stop();
  expect(isAlive(report.pid)).toBe(false);
});

it('gives several processes that start at once the same server', async () => {
  const parents = await Promise.all(Array.from({ length: 4 }, startElsewhere));
  const reports = parents.map(([, report]) => report);
  expect(new Set(reports.map(({ pid }) => pid)).size).toBe(1);
  expect(reports.filter(({ reused }) => !reused)).toHaveLength(1);
  for (const { url } of reports) expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect(readdirSync(dir).filter((name) => name.startsWith('pg.init-'))).toEqual([]);

  const owner = parents.find(([, { reused }]) => !reused)?.[0];
  const others = parents.map(([parent]) => parent).filter((parent) => parent !== owner);
  await Promise.all(others.map((parent) => parent.kill('SIGTERM')));
  await expect(owner?.kill('SIGTERM')).resolves.toEqual({ code: 0, signal: null });
  expect(serverPid()).toBeNull();
});

it('starts although an old lock file names a process of somebody else', async () => {
  copyTheFirst();
  const first = await start();
  await first.stop();
  // As after a power cut, when the number went to another process: here to this one.
  const lines = [
    process.pid,
    path.join(dir, 'pg'),
    1,
    first.port,
    '',
    '127.0.0.1',
    '',
    'ready',
    '',
  ];
  writeFileSync(path.join(dir, 'pg/postmaster.pid'), lines.join('\n'), { mode: 0o600 });
  const postgres = await start();
  expect(postgres.reused).toBe(false);
  expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

it('makes the data directory again when making it was interrupted', async () => {
  const parent = await spawnProcess(process.execPath, [START, dir]);
  await waitFor(() => readdirSync(dir).some((name) => name.startsWith('pg.init-')), {
    what: 'initdb is at work',
  });
  await parent.kill('SIGKILL');
  const postgres = await start();
  expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

it('says what to do about data of another PostgreSQL version', async () => {
  copyTheFirst();
  const postgres = await start();
  await postgres.stop();
  writeFileSync(path.join(dir, 'pg/PG_VERSION'), '17\n');
  await expect(startEmbeddedPostgres({ dir })).rejects.toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: expect.stringMatching(/written by PostgreSQL 17 .*Move the folder away/),
  });
});

it('says what to do when the password is lost', async () => {
  copyTheFirst();
  const postgres = await start();
  await postgres.stop();
  rmSync(path.join(dir, 'pg.password'));
  await expect(startEmbeddedPostgres({ dir })).rejects.toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: expect.stringMatching(/pg\.password is missing.*move the folder away/),
  });
});

it('shows the end of the log when the server can not start', async () => {
  copyTheFirst();
  await expect(
    startEmbeddedPostgres({ dir, settings: { shared_buffers: 'many' } }),
  ).rejects.toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: expect.stringContaining('invalid value for parameter "shared_buffers"'),
  });
});

it('gives up when told to, and leaves nothing running', async () => {
  await expect(startEmbeddedPostgres({ dir, signal: AbortSignal.abort() })).rejects.toMatchObject({
    name: 'AbortError',
  });
  expect(serverPid()).toBeNull();
});

it('says why it can not keep its data where it was told to', async () => {
  const file = path.join(dir, 'a-file');
  writeFileSync(file, '');
  await expect(startEmbeddedPostgres({ dir: path.join(file, 'data') })).rejects.toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: expect.stringMatching(/can not keep its data in .*Set DATA_DIR/),
  });
});

it('is found while it runs by those who start nothing', async () => {
  copyTheFirst();
  expect(findEmbeddedPostgres(dir)).toBeNull();
  const postgres = await start();
  expect(findEmbeddedPostgres(dir)).toBe(postgres.url);
  await postgres.stop();
  expect(findEmbeddedPostgres(dir)).toBeNull();
});
