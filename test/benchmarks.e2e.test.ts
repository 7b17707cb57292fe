import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { describeWithRedis, waitFor } from '@longshore/testing';
import { spawnProcess } from '@longshore/testing/processes';

const MAIN = path.join(import.meta.dirname, '../benchmarks/dist/main.js');

describeWithRedis('the benchmarks', () => {
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
