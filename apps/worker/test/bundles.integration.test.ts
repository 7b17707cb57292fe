import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TaskId } from '@longshore/core';
import { defineTool, z } from '@longshore/plugin';
import { describeWithRedis, type Mode, waitFor } from '@longshore/testing';
import { aborted, gate } from './bench/doubles.ts';
import { WorkerBench } from './bench/worker-bench.ts';

const tool = (name: string, run: (signal: AbortSignal) => string | Promise<string>) =>
  defineTool({
    name,
    description: 'For tests.',
    input: z.looseObject({}),
    run: (_input, ctx) => run(ctx.signal),
  });

const short = tool('short', () => 'short');
const endless = tool('endless', (signal) => aborted(signal));

const tests = (mode: Mode) => () => {
  let bench: WorkerBench;
  beforeEach(async () => {
    bench = await WorkerBench.open(mode);
  });
  afterEach(() => bench.close());

  const started = async (ids: readonly TaskId[]): Promise<TaskId[]> => {
    const events = await Promise.all(ids.map((id) => bench.events(id)));
    return ids.filter((_id, index) => events[index]?.includes('started'));
  };

  it('runs every task of jobs that many share, each once', async () => {
    const runs: string[] = [];
    const counted = defineTool({
      name: 'counted',
      description: 'Counts.',
      input: z.looseObject({}),
      run: (_input, ctx) => {
        runs.push(ctx.taskId);
        return 'counted';
      },
    });
    for (let n = 0; n < 2; n += 1) await bench.startWorker([counted], { concurrency: 2 });
    const ids = await bench.submitMany(300, 'counted');
    for (const id of ids) expect(await bench.text(id)).toBe('counted');
    expect(runs.toSorted()).toEqual(ids.toSorted());
  });

  it('gives other workers what it has no seats for, and claims nothing of it while tasks are long', async () => {
    await bench.startWorker([endless], { concurrency: 1, abortGraceMs: 50 });
    await bench.startWorker([endless], { concurrency: 2, abortGraceMs: 50 });
    // Four jobs of three tasks: no two of the seats that run them need be of one job.
    const ids = await bench.submitMany(12, 'endless');
    const running = await waitFor(
      async () => {
        const found = await started(ids);
        return found.length === 3 && found;
      },
      { what: 'all seats are taken' },
    );
    await bench.cancel(running[0] as TaskId);
    await waitFor(async () => (await started(ids)).length === 4, { what: 'the next one starts' });
    const held = await Promise.all(ids.map(async (id) => (await bench.task(id)).isHeld));
    expect(held.filter((isHeld) => isHeld)).toHaveLength(3);
  });

  it('gives back what was claimed ahead when the seat it was for is not free in time', async () => {
    const entered = gate();
    const stuck = tool('stuck', (signal) => {
      entered.open();
      return aborted(signal);
    });
    await bench.startWorker([short, stuck], { concurrency: 1, abortGraceMs: 50 });
    // So that seats are known to be held for a moment only.
    for (const id of await bench.submitMany(40, 'short')) await bench.text(id);
    const blocking = await bench.submit('stuck');
    await entered.promise;
    const ids = await bench.submitMany(8, 'short');
    const { worker: other } = await bench.startWorker([short], { concurrency: 1 });
    for (const id of ids) expect(await bench.text(id)).toBe('short');
    expect((await bench.task(blocking)).state).toBe('working');
    await other.stop();
  });

  it('hands the tasks of a job over that wait for seats when it stops', async () => {
    const { worker } = await bench.startWorker([endless], { concurrency: 1, abortGraceMs: 50 });
    const ids = await bench.submitMany(12, 'endless');
    await waitFor(async () => (await started(ids)).length === 1, { what: 'one runs' });
    await worker.stop();
    const held = await Promise.all(ids.map(async (id) => (await bench.task(id)).isHeld));
    expect(held).not.toContain(true);
    await bench.startWorker([tool('endless', () => 'over')], { concurrency: 4 });
    for (const id of ids) expect(await bench.text(id)).toBe('over');
  });
};

describeWithRedis('tasks that share jobs, with Redis', tests('redis'));
describe('tasks that share jobs, with Postgres only', tests('postgres'));
