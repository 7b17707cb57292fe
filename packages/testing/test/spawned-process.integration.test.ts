import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, jest } from '@jest/globals';
import { waitFor } from '../src/index.ts';
import { killSpawnedProcesses, type SpawnedProcess, spawnProcess } from '../src/processes/index.ts';

// Real servers and processes on a machine that others use as well.
jest.setTimeout(60_000);

const FIXTURES = path.join(import.meta.dirname, 'fixtures');
const FAMILY = path.join(FIXTURES, 'family.js');

const node = (args: readonly string[], ready = /^pids/) =>
  spawnProcess(process.execPath, args, { ready });

async function pidsOf(spawned: SpawnedProcess): Promise<number[]> {
  const line = await spawned.waitForLine(/^pids/);
  return line.split(' ').slice(1).map(Number);
}

/** A zombie, which waits for its parent to notice, runs no more. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (process.platform !== 'linux') return true;
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

const isGone = (pids: readonly number[]) =>
  waitFor(() => !pids.some(isRunning), { what: `${pids.join(' and ')} are gone` });

it('waits until the process is ready, and keeps the lines of both outputs', async () => {
  const spawned = await node([FAMILY]);
  expect(spawned.isRunning()).toBe(true);
  await spawned.waitForLine(/^a line on the other output$/);
  expect(spawned.logs()).toMatch(/^pids \d+ \d+$/m);
  await spawned.kill('SIGKILL');
});

it('passes the environment on, and tells how the process ended', async () => {
  const code = 'console.log("told", process.env.TOLD); process.exitCode = 3;';
  const spawned = await spawnProcess(process.execPath, ['-e', code], { env: { TOLD: 'so' } });
  await expect(spawned.exited).resolves.toEqual({ code: 3, signal: null });
  expect(spawned.lines).toEqual(['told so']);
  expect(spawned.isRunning()).toBe(false);
});

it('tells which signal ended it', async () => {
  const spawned = await node([FAMILY]);
  await expect(spawned.kill('SIGTERM')).resolves.toEqual({ code: null, signal: 'SIGTERM' });
});

it('can send a signal that does not end it', async () => {
  const spawned = await node([FAMILY, 'stubborn']);
  spawned.signal('SIGTERM');
  spawned.signal('SIGUSR1'); // Handled after the first one; Node then opens its debugger and says so.
  await spawned.waitForLine(/debugger/i);
  expect(spawned.isRunning()).toBe(true);
  await spawned.kill('SIGKILL');
});

it('shows the output of a process that ends instead of becoming ready', async () => {
  await expect(node(['-e', 'console.log("port is taken"); process.exit(1)'])).rejects.toThrow(
    /it ended \(exit code 1\)\. Its output:\nport is taken/,
  );
});

it('shows the output of a process that never becomes ready, and kills it', async () => {
  const starting = spawnProcess(process.execPath, [FAMILY], {
    ready: /^never$/,
    readyTimeoutMs: 1_000,
  });
  const error = await starting.then(
    () => 'ready',
    (reason: unknown) => String(reason),
  );
  expect(error).toMatch(/family\.js: waited 1000 ms in vain: it is ready\. Its output:/);
  const pids = /pids (\d+) (\d+)/.exec(error)?.slice(1).map(Number) ?? [];
  await killSpawnedProcesses();
  await isGone(pids);
});

it('says that a program does not exist', async () => {
  await expect(spawnProcess('/nowhere/program', [])).rejects.toThrow(
    /\/nowhere\/program can not be run: .*ENOENT/,
  );
});

it('kills what is left with all its children', async () => {
  const pids = await pidsOf(await node([FAMILY, 'stubborn']));
  expect(pids.filter(isRunning)).toEqual(pids);
  await killSpawnedProcesses();
  await isGone(pids);
});

it('kills the children of a process that ended without them', async () => {
  const spawned = await node([FAMILY, 'leave']);
  const [, child = 0] = await pidsOf(spawned);
  await expect(spawned.exited).resolves.toEqual({ code: 0, signal: null });
  expect(isRunning(child)).toBe(true);
  await killSpawnedProcesses();
  await isGone([child]);
});

it('leaves nothing when the whole test run is killed', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'longshore-guarded-'));
  const testRun = await node([path.join(FIXTURES, 'test-run.js'), FAMILY, folder]);
  const pids = await pidsOf(testRun);
  expect(pids.filter(isRunning)).toEqual(pids);
  await testRun.kill('SIGKILL');
  await isGone(pids);
  await waitFor(() => !existsSync(folder), { what: 'the folder is removed' });
});
