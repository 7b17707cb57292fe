import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@longshore/core';
import { waitFor } from '@longshore/testing';
import { spawnProcess } from '@longshore/testing/processes';
import { lockDataDir, recordKeeper } from '../../src/database/data-dir-lock.ts';
import { processIdentity } from '../../src/database/process-identity.ts';

const HOLDER = path.join(import.meta.dirname, '..', 'fixtures', 'lock-holder.js');

describe('lockDataDir', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'longshore-lock-'));
  });
  afterEach(() => {
    rmSync(dir, { recursive: true });
  });

  const lock = (signal = new AbortController().signal) =>
    lockDataDir(dir, { log: silentLogger, signal, graceMs: 5_000 });
  const records = () => readdirSync(path.join(dir, 'running'));
  const hold = () => spawnProcess(process.execPath, [HOLDER, dir], { ready: /locked|in use/ });

  it('refuses while another process has the directory, naming it', async () => {
    const holder = await hold();
    await expect(lock()).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(`in use by process ${holder.pid}`),
    });
    await holder.kill('SIGTERM');
    (await lock()).release();
    expect(records()).toEqual([]);
  });

  it('is free again when its process was killed', async () => {
    const holder = await hold();
    await holder.kill('SIGKILL');
    expect(records()).toHaveLength(1);
    (await lock()).release();
    expect(records()).toEqual([]);
  });

  it('is not held by a process that has got the pid of the killed one', async () => {
    mkdirSync(path.join(dir, 'running'));
    writeFileSync(
      path.join(dir, 'running', 'old.json'),
      JSON.stringify({ pid: process.ppid, identity: 'another boot/1' }),
    );
    (await lock()).release();
    expect(records()).toEqual([]);
  });

  it('ignores what is left of a record that was never finished', async () => {
    mkdirSync(path.join(dir, 'running'));
    writeFileSync(path.join(dir, 'running', 'half.json'), '{"pid":');
    (await lock()).release();
    expect(records()).toEqual([]);
  });

  it('is given to one of six that come at once', async () => {
    const holders = await Promise.all(Array.from({ length: 6 }, hold));
    const winners = holders.filter((holder) => /locked/.test(holder.logs()));
    // All may refuse, when the last two meet in every try; two winners must never be.
    expect(winners.length).toBeLessThanOrEqual(1);
    await Promise.all(holders.map((holder) => holder.kill('SIGKILL')));
  });

  it('waits for PostgreSQL of a killed start to be stopped', async () => {
    const keeper = recordKeeper(dir);
    let isLocked = false;
    const locked = lock().then((held) => {
      isLocked = true;
      return held;
    });
    await waitFor(() => records().length === 2, { what: 'the command has its record' });
    expect(isLocked).toBe(false);
    keeper.release();
    (await locked).release();
    expect(records()).toEqual([]);
  });

  it('gives up waiting when it is told to, and leaves nothing', async () => {
    const keeper = recordKeeper(dir);
    const wish = new AbortController();
    const locked = lock(wish.signal);
    await waitFor(() => records().length === 2, { what: 'the command has its record' });
    wish.abort();
    await expect(locked).rejects.toThrow();
    keeper.release();
    expect(records()).toEqual([]);
  });

  it('says why a directory can not be used', async () => {
    const file = path.join(dir, 'file');
    writeFileSync(file, '');
    await expect(
      lockDataDir(file, { log: silentLogger, signal: new AbortController().signal, graceMs: 0 }),
    ).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/can not be written: .*(ENOTDIR|EEXIST)/),
    });
  });
});

describe('processIdentity', () => {
  it('is the same each time, different for each process, and null for dead ones', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    const identity = processIdentity(pid);
    expect(identity).not.toBeNull();
    expect(processIdentity(pid)).toBe(identity);
    expect(processIdentity(process.pid)).not.toBe(identity);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(processIdentity(pid)).toBeNull();
  });
});
