import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LongshoreError, silentLogger, workerTopic } from '@longshore/core';
import { defineTool, ToolError, z } from '@longshore/plugin';
import { describeWithRedis, type Mode, waitFor } from '@longshore/testing';
import { aborted, forEver, gate, over, tool } from './bench/doubles.ts';
import { WorkerBench } from './bench/worker-bench.ts';

const tests = (mode: Mode) => () => {
  let bench: WorkerBench;
  beforeEach(async () => {
    bench = await WorkerBench.open(mode);
  });
  afterEach(async () => {
    await bench.close();
  });

  it('runs a task, stores its result and then says that it changed', async () => {
    const sum = defineTool({
      name: 'sum',
      description: 'Adds.',
      input: z.object({ a: z.number(), b: z.number().default(5) }),
      output: z.object({ sum: z.number() }),
      run: ({ a, b }) => ({ sum: a + b }),
    });
    await bench.startWorker([sum]);
    const id = await bench.submit('sum', { a: 1 });
    const { task, outcome } = await bench.outcome(id);
    expect(outcome).toEqual({
      kind: 'result',
      isError: false,
      result: {
        content: [{ type: 'text', text: '{"sum":6}' }],
        structuredContent: { sum: 6 },
      },
    });
    expect(task.statusMessage).toBeNull();
    await waitFor(() => bench.heard.some((message) => message.kind === 'changed'), {
      what: 'the change is published',
    });
  });

  it('retries an error as often as the policy allows, and keeps its progress growing', async () => {
    const attempts: number[] = [];
    const flaky = defineTool({
      name: 'flaky',
      description: 'Fails twice.',
      input: z.object({}),
      task: { backoff: { baseMs: 10 } },
      run: (_input, ctx) => {
        attempts.push(ctx.attempt);
        ctx.progress(ctx.attempt === 1 ? 7 : 3);
        if (ctx.attempt < 3) throw new Error(`failure ${ctx.attempt}`);
        ctx.progress(8);
        return 'done';
      },
    });
    await bench.startWorker([flaky]);
    const id = await bench.submit('flaky', {}, { maxAttempts: 3 });
    expect(await bench.text(id)).toBe('done');
    expect(attempts).toEqual([1, 2, 3]);
    const shown = bench.heard.filter((message) => message.kind === 'progress');
    expect(shown.map(({ progress }) => progress)).toEqual([7, 8]);
    expect(shown[0]).toMatchObject({ taskId: id, token: 'token' });
    expect((await bench.task(id)).progress?.progress).toBe(8);
  });

  it('makes the last error the result and the status message', async () => {
    let runs = 0;
    const broken = defineTool({
      name: 'broken',
      description: 'Fails.',
      input: z.object({}),
      task: { backoff: { baseMs: 10 } },
      run: () => {
        runs += 1;
        throw new Error(`broken ${runs}`);
      },
    });
    await bench.startWorker([broken]);
    const id = await bench.submit('broken', {}, { maxAttempts: 2 });
    const { task, outcome } = await bench.outcome(id);
    expect(outcome).toEqual({
      kind: 'result',
      isError: true,
      result: { content: [{ type: 'text', text: 'broken 2' }], isError: true },
    });
    expect(task.statusMessage).toBe('broken 2');
    expect(runs).toBe(2);
  });

  it('does not retry a ToolError or arguments that do not fit', async () => {
    let runs = 0;
    const strict = defineTool({
      name: 'strict',
      description: 'Refuses.',
      input: z.object({ n: z.int() }),
      run: () => {
        runs += 1;
        throw new ToolError('never');
      },
    });
    await bench.startWorker([strict]);
    const refused = await bench.submit('strict', { n: 1 }, { maxAttempts: 5 });
    expect(await bench.text(refused)).toBe('never');
    expect(runs).toBe(1);
    const wrong = await bench.submit('strict', { n: 'one' }, { maxAttempts: 5 });
    expect(await bench.text(wrong)).toMatch(/Invalid arguments for tool 'strict'.*\n.*at n/);
    expect(runs).toBe(1);
  });

  it('stops an attempt that runs out of time, and counts that as a failure', async () => {
    const reasons: string[] = [];
    const slow = defineTool({
      name: 'slow',
      description: 'Waits.',
      input: z.object({}),
      task: { backoff: { baseMs: 10 } },
      run: async (_input, ctx) => {
        reasons.push(await aborted(ctx.signal));
        return 'a partial result';
      },
    });
    await bench.startWorker([slow]);
    const id = await bench.submit('slow', {}, { maxAttempts: 2, timeoutMs: 100 });
    expect(await bench.text(id)).toBe('The tool did not finish within 100 ms.');
    expect(reasons).toEqual(['timeout', 'timeout']);
  });

  it('fails a task at its deadline without another attempt', async () => {
    const slow = tool('slow', (_input, ctx) => aborted(ctx.signal));
    await bench.startWorker([slow]);
    const id = await bench.submit('slow', {}, { maxAttempts: 5, deadlineMs: 1_000 });
    const { task, outcome } = await bench.outcome(id);
    expect(task.statusMessage).toBe('task exceeded its execution deadline');
    expect(outcome).toMatchObject({ kind: 'error', error: { code: -32_603 } });
  });

  it('gives the slot of a tool away that ignores its signal', async () => {
    const warnings: string[] = [];
    await bench.startWorker([tool('deaf', forEver), tool('quick', () => 'quick')], {
      concurrency: 1,
      abortGraceMs: 50,
      log: { ...silentLogger, warn: (_fields, message) => void warnings.push(message) },
    });
    const deaf = await bench.submit('deaf', {}, { timeoutMs: 50 });
    expect(await bench.text(deaf)).toMatch(/did not finish within 50 ms/);
    expect(await bench.text(await bench.submit('quick'))).toBe('quick');
    expect(warnings).toContainEqual(expect.stringMatching(/ignores its signal/));
  });

  it('never starts what was cancelled while it was queued', async () => {
    const first = gate();
    const started: unknown[] = [];
    await bench.startWorker(
      [
        tool('take', async ({ name }) => {
          started.push(name);
          if (name === 'first') await first.promise;
          return 'done';
        }),
      ],
      { concurrency: 1 },
    );
    const running = await bench.submit('take', { name: 'first' });
    await waitFor(() => started.length === 1, { what: 'the first one runs' });
    const queued = await Promise.all(
      Array.from({ length: 10 }, (_, n) => bench.submit('take', { name: n })),
    );
    // Only the rows: the jobs stay in the queue, as when Redis is away at this moment.
    for (const id of queued) await bench.database.taskStore.cancel(id, bench.session.principalId);
    const last = await bench.submit('take', { name: 'last' });
    first.open();
    expect(await bench.text(running)).toBe('done');
    expect(await bench.text(last)).toBe('done');
    for (const id of queued) expect(await bench.events(id)).toEqual(['created', 'cancelled']);
    expect(started).toEqual(['first', 'last']);
  });

  it('stops a cancelled task at once when it is told to', async () => {
    const started = gate();
    const stopped = gate<string>();
    const { id: workerId } = await bench.startWorker([
      tool('long', async (_input, ctx) => {
        started.open();
        const why = await aborted(ctx.signal);
        stopped.open(why);
        return why;
      }),
    ]);
    const id = await bench.submit('long');
    await started.promise;
    const cancelled = await bench.database.taskStore.cancel(id, bench.session.principalId);
    expect(cancelled).toMatchObject({ kind: 'cancelled', workerId });
    await bench.messaging.bus.publish(workerTopic(workerId), { kind: 'cancel', taskId: id });
    expect(await stopped.promise).toBe('cancelled');
    await expect(bench.outcome(id)).resolves.toMatchObject({
      task: { state: 'cancelled' },
      outcome: null,
    });
  });

  it('notices a cancellation with the next heartbeat, without any message', async () => {
    const started = gate();
    const stopped = gate<string>();
    let beats = 0;
    await bench.startWorker(
      [
        tool('long', async (_input, ctx) => {
          started.open();
          stopped.open(await aborted(ctx.signal));
          return 'late';
        }),
      ],
      {
        leaseMs: 2_000,
        attempts: (real) =>
          over(real, {
            heartbeat: (...args) => {
              beats += 1;
              return real.heartbeat(...args);
            },
          }),
      },
    );
    const id = await bench.submit('long');
    await started.promise;
    await bench.database.taskStore.cancel(id, bench.session.principalId);
    beats = 0;
    expect(await stopped.promise).toBe('cancelled');
    // One may have been on its way. The end of the lease would come with the fourth.
    expect(beats).toBeLessThanOrEqual(2);
    await expect(bench.outcome(id)).resolves.toMatchObject({ task: { state: 'cancelled' } });
  });

  it('writes the result after a short absence of the database', async () => {
    let failures = 0;
    await bench.startWorker([tool('quick', () => 'kept')], {
      attempts: (real) =>
        over(real, {
          finish: (attempt) => {
            failures += 1;
            if (failures <= 3) throw new LongshoreError('DATABASE_UNAVAILABLE', 'away');
            return real.finish(attempt);
          },
        }),
    });
    expect(await bench.text(await bench.submit('quick'))).toBe('kept');
    expect(failures).toBe(4);
  });

  it('ends a task whose result can not be stored with an error that says so', async () => {
    await bench.startWorker([tool('poison', () => 'poison')], {
      attempts: (real) =>
        over(real, {
          finish: (attempt) => {
            const isPoison = JSON.stringify(attempt.outcome).includes('poison');
            if (isPoison) throw new LongshoreError('INTERNAL', 'too large');
            return real.finish(attempt);
          },
        }),
    });
    expect(await bench.text(await bench.submit('poison'))).toMatch(/could not be stored/);
  });

  it('hands running tasks to another worker when it stops, long before their lease ends', async () => {
    const started = gate();
    const reasons: string[] = [];
    const { worker } = await bench.startWorker([
      tool('long', async (_input, ctx) => {
        ctx.progress(5);
        started.open();
        reasons.push(await aborted(ctx.signal));
        return 'of the stopped worker';
      }),
    ]);
    const id = await bench.submit('long');
    await started.promise;
    const attempts: number[] = [];
    await worker.stop();
    await bench.startWorker([
      tool('long', (_input, ctx) => {
        attempts.push(ctx.attempt);
        return 'of the other worker';
      }),
    ]);
    expect(await bench.text(id)).toBe('of the other worker');
    expect(reasons).toEqual(['drain']);
    expect(attempts).toEqual([2]);
    expect((await bench.task(id)).progress?.progress).toBe(5);
  });

  it('lets running tasks finish within the grace', async () => {
    const started = gate();
    const finish = gate();
    const { worker } = await bench.startWorker(
      [
        tool('long', async () => {
          started.open();
          await finish.promise;
          return 'finished';
        }),
      ],
      { shutdownGraceMs: 30_000 },
    );
    const id = await bench.submit('long');
    await started.promise;
    const stopped = worker.stop();
    finish.open();
    await stopped;
    expect((await bench.task(id)).state).toBe('finished');
  });

  it('leaves tasks of tools it does not have to workers that have them', async () => {
    const warnings: object[] = [];
    const log = { ...silentLogger, warn: (fields: object) => void warnings.push(fields) };
    await bench.startWorker([tool('mine', () => 'mine')], { log });
    const id = await bench.submit('theirs');
    await waitFor(() => warnings.length === 1, { what: 'the worker met the task' });
    const attempts: number[] = [];
    await bench.startWorker([
      tool('theirs', (_input, ctx) => {
        attempts.push(ctx.attempt);
        return 'theirs';
      }),
    ]);
    expect(await bench.text(id)).toBe('theirs');
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatchObject({ what: 'tools/call theirs' });
  });

  it('brings a status message to the row soon, and says that the row changed', async () => {
    const finish = gate();
    await bench.startWorker([
      tool('talks', async (_input, ctx) => {
        ctx.statusMessage('half way');
        await finish.promise;
        return 'done';
      }),
    ]);
    const id = await bench.submit('talks');
    await waitFor(async () => (await bench.task(id)).statusMessage === 'half way', {
      what: 'the status message is in the row',
    });
    await waitFor(() => bench.heard.some(({ kind }) => kind === 'changed'), {
      what: 'the change is published',
    });
    finish.open();
    await bench.outcome(id);
  });

  it('keeps checkpoints from one attempt to the next', async () => {
    const counts = defineTool({
      name: 'counts',
      description: 'Counts attempts.',
      input: z.object({}),
      task: { backoff: { baseMs: 10 } },
      run: async (_input, ctx) => {
        const seen = z.int().parse((await ctx.checkpoint.get('seen')) ?? 0);
        await ctx.checkpoint.set('seen', seen + 1);
        if (seen < 2) throw new Error('again');
        return `seen ${seen}`;
      },
    });
    await bench.startWorker([counts]);
    expect(await bench.text(await bench.submit('counts', {}, { maxAttempts: 3 }))).toBe('seen 2');
  });

  it('stands in the catalogue while it works', async () => {
    const { worker } = await bench.startWorker([tool('listed', () => 'x')]);
    const names = async () =>
      (await bench.database.catalogueStore.load(60_000)).tools.map(({ name }) => name);
    expect(await names()).toEqual(['listed']);
    await worker.stop();
    expect(await names()).toEqual([]);
  });
};

describeWithRedis('a worker with Redis', tests('redis'));
describe('a worker with Postgres only', tests('postgres'));
