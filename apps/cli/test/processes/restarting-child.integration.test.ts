import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@longshore/core';
import { waitFor } from '@longshore/testing';
import { isRunning } from '../../src/database/process-identity.ts';
import { Child, type Ready } from '../../src/processes/child-process.ts';
import { MAX_QUICK_DEATHS, RestartingChild } from '../../src/processes/restarting-child.ts';

const PROGRAM = path.join(import.meta.dirname, '..', 'fixtures', 'program-worker.js');

describe('RestartingChild', () => {
  let dir: string;
  let child: RestartingChild;
  let ready: Ready[];
  let reasons: string[];
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'longshore-child-'));
    ready = [];
    reasons = [];
  });
  afterEach(async () => {
    await child.stop(1_000);
    rmSync(dir, { recursive: true });
  });

  function start(behaviour: string, pauseMs = 10): void {
    const env = { ...process.env, PROGRAM_DIR: dir, PROGRAM_WORKER: behaviour };
    child = new RestartingChild({
      name: 'program',
      spawn: () => new Child({ name: 'program', entry: PROGRAM, env, log: silentLogger }),
      log: silentLogger,
      onReady: (said) => void ready.push(said),
      onGaveUp: (reason) => void reasons.push(reason),
      backoff: { baseMs: pauseMs, factor: 1, maxMs: pauseMs },
    });
    child.start();
  }
  const runs = (): number => readdirSync(dir).filter((name) => name.startsWith('worker-')).length;
  const isReady = (times: number) =>
    waitFor(() => ready.length === times, { what: `the child was ready ${times} times` });

  it('starts a child again that dies, and says each time when it is ready', async () => {
    start('well');
    await isReady(1);
    process.kill(child.pid ?? 0, 'SIGKILL');
    await isReady(2);
    expect(runs()).toBe(2);
    expect(reasons).toEqual([]);
  });

  it('does not start a child again that never was ready and exits with an error', async () => {
    start('refuses');
    await waitFor(() => reasons[0], { what: 'it gives up' });
    expect(reasons).toEqual(['program did not start (exit code 1): see its last lines above']);
    expect(runs()).toBe(1);
  });

  it('gives up a child that worked once when it dies again and again', async () => {
    start('refuses later');
    await isReady(1);
    writeFileSync(path.join(dir, 'later'), '');
    process.kill(child.pid ?? 0, 'SIGKILL');
    await waitFor(() => reasons[0], { what: 'it gives up', timeoutMs: 30_000 });
    expect(reasons).toEqual([
      `program died ${MAX_QUICK_DEATHS} times in a row, at last with exit code 1`,
    ]);
    expect(runs()).toBe(MAX_QUICK_DEATHS);
  }, 60_000);

  it('does not start a child again that it stopped', async () => {
    start('well');
    await isReady(1);
    await child.stop(5_000);
    await child.stop(5_000);
    expect(runs()).toBe(1);
  });

  it('can be stopped while it pauses', async () => {
    start('well', 3_600_000);
    await isReady(1);
    const { pid } = child;
    process.kill(pid ?? 0, 'SIGKILL');
    await waitFor(() => !isRunning(pid ?? 0), { what: 'the child is dead' });
    await child.stop(5_000);
    expect(runs()).toBe(1);
  });
});
