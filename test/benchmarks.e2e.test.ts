import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { describeWithRedis, waitFor } from '@longshore/testing';
import { spawnProcess } from '@longshore/testing/processes';

const MAIN = path.join(import.meta.dirname, '../benchmarks/dist/main.js');

/** Names that other documents and runs compare by. */
const PROMISED = [
  'accept/64/echo',
  'accept/64/bare',
  'accept/64/longshore-2025-to-bare',
  'accept/64/longshore-2026-to-bare',
  'accept/64/longshore-2025-cpu',
  'accept/64/longshore-2026-cpu',
  'finish/64/raw-bullmq',
  'accept/64/longshore-2025-postgres-cpu',
  'accept/64/longshore-2026-redis-cpu',
  'finish/64/longshore',
  'finish/64/longshore-postgres-cpu',
  'finish/64/longshore-redis-cpu',
  'finish/64/longshore-postgres-rss',
  'finish/64/longshore-wal',
  'finish/64/longshore-tables',
  'finish/64/longshore-redis-memory',
  'start/node-cpu',
  'start/api-cpu',
  'start/worker-wall',
  'start/cli-cpu',
];

describeWithRedis('the benchmarks', () => {
  it('run, and say each promised figure once, with its least and most', async () => {
    const run = await spawnProcess(process.execPath, [MAIN, '--tiny', 'start', 'accept', 'finish']);
    const { code } = await run.exited;
    if (code !== 0) throw new Error(run.logs());
    const figures = run.lines
      .filter((line) => line.startsWith('{'))
      .map((line): Record<string, unknown> => JSON.parse(line));
    const names = figures.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(PROMISED));
    expect(new Set(names).size).toBe(names.length);
    for (const { name, value, min, max } of figures) {
      expect(value).toBeGreaterThanOrEqual(Number(min));
      expect(value).toBeLessThanOrEqual(Number(max));
      // So few jobs may take Redis less than the clock of a process can tell, which is 10 ms.
      if (!String(name).endsWith('-redis-cpu')) expect(max).toBeGreaterThan(0);
    }
  }, 120_000);

  it('stop their servers and processes when they are stopped', async () => {
    const run = await spawnProcess(process.execPath, [MAIN, '--tiny', 'accept']);
    const pids = await waitFor(
      () => {
        const children = childrenOf(run.pid);
        return children.length >= 5 && children;
      },
      { what: 'Postgres, Redis, API, echo and bare server run', timeoutMs: 60_000 },
    );
    expect(await run.kill('SIGTERM')).toEqual({ code: 143, signal: null });
    // Init reaps what a process has left to it, a moment later.
    await waitFor(() => pids.every((pid) => !existsSync(`/proc/${pid}`)), { what: 'all are gone' });
  }, 120_000);
});

function childrenOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
}
