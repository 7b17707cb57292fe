import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@longshore/core';
import { defineTool, z } from '@longshore/plugin';
import { loadPlugin } from '@longshore/plugin/host';
import { testHost } from '@longshore/plugin/testing';
import { describeWithRedis, type Mode, waitFor } from '@longshore/testing';
import { testThreads } from './bench/test-threads.ts';
import { WorkerBench } from './bench/worker-bench.ts';
// @ts-expect-error: plugins may be JavaScript
import * as paced from './fixtures/paced.js';

const ENTRY = path.join(import.meta.dirname, 'fixtures', 'paced.js');

/** The clocks of server and test are read in whole milliseconds, and windows end in them. */
const CLOCK_MS = 2;

const RATE = { starts: 10, perMs: 700 };

const startedAt: number[] = [];

const pacedTool = defineTool({
  name: 'paced',
  description: 'Notes when it starts; its first attempt fails when told to.',
  input: z.object({ n: z.int(), stumbles: z.boolean().default(false) }),
  task: { rate: RATE, attempts: 2, backoff: { baseMs: 1 } },
  run: ({ n, stumbles }, ctx) => {
    startedAt.push(performance.now());
    if (stumbles && ctx.attempt === 1) throw new Error('it stumbles');
    return `ran ${n}`;
  },
});

/** Its items, and a call. */
const over = defineTool({
  name: 'over',
  description: 'Runs another tool.',
  input: z.object({ count: z.int() }),
  output: z.looseObject({}),
  run: async ({ count }, ctx) => {
    const items = Array.from({ length: count }, (_, n) => ({ n }));
    const batch = await ctx.map(items, 'paced', { chunk: 2 });
    return { ...batch.summary(), called: await ctx.call('paced', { n: count }) };
  },
});

const tests = (mode: Mode) => () => {
  let bench: WorkerBench;
  beforeEach(async () => {
    startedAt.length = 0;
    paced.entered.length = 0;
    bench = await WorkerBench.open(mode);
  });
  afterEach(async () => {
    await bench.close();
  });

  it('holds for items, calls and attempts at two workers together, and all of them end', async () => {
    await bench.startWorker([pacedTool, over]);
    await bench.startWorker([pacedTool, over]);
    const beganAt = performance.now();
    const id = await bench.submit('over', { count: 28 });
    const stumbling = await bench.submit('paced', { n: 0, stumbles: true }, { maxAttempts: 2 });
    expect(await bench.text(stumbling)).toBe('ran 0');
    expect((await bench.outcome(id)).outcome).toMatchObject({
      result: {
        structuredContent: { total: 28, done: 28, failed: 0, called: 'ran 28' },
      },
    });
    expect(startedAt).toHaveLength(31);
    startedAt.sort((a, b) => a - b);
    // Of the first 10 * n + 1 starts one at least is in the window after n others, each of which took its time.
    for (const windows of [1, 2, 3]) {
      const elapsedMs = (startedAt[windows * RATE.starts] ?? 0) - beganAt;
      expect(elapsedMs).toBeGreaterThanOrEqual(windows * (RATE.perMs - CLOCK_MS));
    }
  });

  it.each([
    ['in the worker', 'here'],
    ['in a thread', 'apart'],
  ])(
    '%s, what waits is cancelled at once, has run nothing and holds no thread',
    async (_, where) => {
      const told: string[] = [];
      const note = (_fields: object, message: string): void => void told.push(message);
      const threads = testThreads({ size: 1 });
      try {
        await bench.startWorker(loadPlugin(paced, testHost()).tools, {
          threads,
          entry: ENTRY,
          concurrency: 2,
          log: { ...silentLogger, info: note, warn: note },
        });
        const first = await bench.submit(`paced-${where}`);
        expect(await bench.text(first)).toBe('attempt 1');
        const second = await bench.submit(`paced-${where}`);
        await waitFor(async () => (await bench.events(second)).includes('started'), {
          what: 'the second one has a seat',
        });
        expect(await bench.text(await bench.submit(`quick-${where}`))).toBe('attempt 1');
        expect((await bench.task(second)).state).toBe('working');
        await bench.cancel(second);
        await waitFor(() => told.includes('attempt stopped'), { what: 'the wait has ended' });
        // Neither given up nor killed.
        expect(told.filter((message) => message.startsWith('tool ignore'))).toEqual([]);
        expect(paced.entered).toEqual(where === 'here' ? ['paced-here', 'quick-here'] : []);
      } finally {
        await threads.stop();
      }
    },
  );
};

describe('the rate of a tool, over Postgres', tests('postgres'));
describeWithRedis('the rate of a tool, over Redis', tests('redis'));
