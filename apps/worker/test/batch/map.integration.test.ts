import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type JsonObject, LongshoreError, type TaskId } from '@longshore/core';
import {
  defineItem,
  defineTool,
  type ItemResult,
  type MapOptions,
  type ToolContext,
  ToolError,
  z,
} from '@longshore/plugin';
import { describeWithRedis, type Mode, waitFor } from '@longshore/testing';
import { over } from '../bench/doubles.ts';
import { WorkerBench } from '../bench/worker-bench.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Doubles; throws at multiples of 10 when it is told to. */
const ran: string[] = [];
const double = defineItem({
  name: 'double',
  input: z.number(),
  run: (n, item) => {
    ran.push(`${n}`);
    if (n % 10 === 9) throw new Error(`nine at ${item.index}`);
    return n * 2;
  },
});

const doubles = (run: (ctx: ToolContext) => Promise<JsonObject>) =>
  defineTool({
    name: 'doubles',
    description: 'For tests.',
    input: z.object({}),
    output: z.looseObject({}),
    items: [double],
    run: (_input, ctx) => run(ctx),
  });

const tests = (mode: Mode) => () => {
  let bench: WorkerBench;
  beforeEach(async () => {
    ran.length = 0;
    bench = await WorkerBench.open(mode);
  });
  afterEach(async () => {
    await bench.close();
  });

  const resultOf = async (tool: ReturnType<typeof doubles>, concurrency = 1): Promise<unknown> => {
    await bench.startWorker([tool], { concurrency });
    const { outcome } = await bench.outcome(await bench.submit(tool.name));
    if (outcome?.kind !== 'result') throw new Error(JSON.stringify(outcome));
    return outcome.result['structuredContent'] ?? outcome.result;
  };

  it('runs an item function over all items, each once, with one place in all', async () => {
    const tool = doubles(async (ctx) => {
      const batch = await ctx.map(numbers(1_000), double);
      const failures: unknown[] = [];
      for await (const { index, error } of batch.failures()) failures.push([index, error.code]);
      return { ...batch.summary(), failures: failures.length, first: failures[0] as never };
    });
    expect(await resultOf(tool)).toEqual({
      total: 1_000,
      done: 900,
      failed: 100,
      skipped: 0,
      stopped: false,
      failures: 100,
      first: [9, 'ITEM_FAILED'],
    });
    expect(ran.length).toBe(1_000);
    expect(new Set(ran).size).toBe(1_000);
  });

  it('gives results in order, each as soon as it is there', async () => {
    const seen: ItemResult<number>[] = [];
    const tool = doubles(async (ctx) => {
      for await (const result of ctx.map(numbers(40), double, { chunk: 3 })) seen.push(result);
      return {};
    });
    await resultOf(tool, 4);
    expect(seen.map(({ index }) => index)).toEqual(numbers(40));
    expect(seen[7]).toEqual({ index: 7, ok: true, value: 14, attempts: 1 });
    expect(seen[9]).toEqual({
      index: 9,
      ok: false,
      error: { code: 'ITEM_FAILED', message: 'nine at 9' },
      attempts: 1,
    });
  });

  it('runs a function in place', async () => {
    const tool = doubles(async (ctx) => {
      const batch = await ctx.map(
        (async function* () {
          for (const n of numbers(25)) yield { n };
        })(),
        ({ n }) => n + 1,
        { key: 'in-place', concurrency: 3 },
      );
      const values: number[] = [];
      for await (const result of batch) if (result.ok) values.push(result.value);
      return { values, ...batch.summary() };
    });
    expect(await resultOf(tool)).toMatchObject({
      values: numbers(26).slice(1),
      total: 25,
      done: 25,
    });
  });

  it('maps in maps, and tools, with one place in all', async () => {
    const inner = defineTool({
      name: 'inner',
      description: 'Maps itself.',
      input: z.object({ n: z.int() }),
      output: z.object({ sum: z.number() }),
      items: [double],
      run: async ({ n }, ctx) => {
        let sum = 0;
        for await (const result of ctx.map(numbers(n), double)) if (result.ok) sum += result.value;
        return { sum };
      },
    });
    const tool = doubles(async (ctx) => {
      const values: unknown[] = [];
      const items = [{ n: 3 }, { n: 4 }, { n: 'five' }];
      for await (const result of ctx.map(items, 'inner')) {
        values.push(result.ok ? result.value : result.error.code);
      }
      return { values: values as never };
    });
    await bench.startWorker([inner, tool], { concurrency: 1 });
    const { outcome } = await bench.outcome(await bench.submit('doubles'));
    expect(outcome).toMatchObject({
      result: { structuredContent: { values: [{ sum: 6 }, { sum: 12 }, 'INVALID_ARGUMENTS'] } },
    });
  });

  it('calls a tool, as a task of its own, and brings its questions to the client', async () => {
    const asks = defineTool({
      name: 'asks',
      description: 'Asks.',
      input: z.object({ of: z.string() }),
      run: async ({ of }, ctx) => {
        const answer = await ctx.elicit(z.object({ name: z.string() }), `Who, ${of}?`);
        return answer.action === 'accept' ? answer.content.name : 'nobody';
      },
    });
    const refuses = defineTool({
      name: 'refuses',
      description: 'Refuses.',
      input: z.object({}),
      run: () => {
        throw new ToolError('never');
      },
    });
    const tool = doubles(async (ctx) => {
      const refused = await ctx.call(refuses, {}).catch((error: unknown) => String(error));
      return { said: await ctx.call('asks', { of: 'sir' }, { key: 'who' }), refused } as never;
    });
    await bench.startWorker([asks, refuses, tool], { concurrency: 1 });
    const id = await bench.submit('doubles');
    await bench.questions(id, 'who/elicit-1');
    await bench.answer(id, {
      'who/elicit-1': { kind: 'result', result: { action: 'accept', content: { name: 'Ada' } } },
    });
    const { outcome } = await bench.outcome(id);
    expect(outcome).toMatchObject({
      result: { structuredContent: { said: 'Ada', refused: 'ToolError: never' } },
    });
  });

  it('takes the question of a called tool back, also when Postgres is away for a moment', async () => {
    const asks = defineTool({
      name: 'asks',
      description: 'Asks, and does not wait for long.',
      input: z.object({}),
      run: async (_input, ctx) => {
        const question = ctx.elicit(z.object({}), 'Soon?', { timeoutMs: 20 });
        return question.then(
          () => 'an answer',
          () => 'nobody said anything',
        );
      },
    });
    const tool = doubles(async (ctx) => ({
      said: (await ctx.call('asks', {}, { key: 'it' })) as string,
    }));
    const away = new LongshoreError('DATABASE_UNAVAILABLE', 'away');
    let refusals = 0;
    let parent: TaskId | null = null;
    await bench.startWorker([asks, tool], {
      attempts: (real) =>
        over(real, {
          timeOutInputs: async (fence, ...args) => {
            const { taskId } = fence;
            const asked = parent ?? taskId;
            if (taskId !== asked) {
              const { principalId } = bench.session;
              const isAsked = async () =>
                (await bench.database.inputStore.pending(asked, principalId)).length > 0;
              await waitFor(isAsked, { what: 'the question is the client’s' });
            }
            if (taskId !== parent || refusals > 0) return real.timeOutInputs(fence, ...args);
            refusals += 1;
            throw away;
          },
        }),
    });
    parent = await bench.submit('doubles');
    const { outcome } = await bench.outcome(parent);
    expect(outcome).toMatchObject({
      result: { structuredContent: { said: 'nobody said anything' } },
    });
    expect(refusals).toBe(1);
    expect(await bench.database.inputStore.pending(parent, bench.session.principalId)).toEqual([]);
  });

  it.each([
    ['in chunks', double],
    ['in place', (n: number) => double.run(n, { index: n } as never) as number],
  ])('stops after too many failures, %s', async (_how, what) => {
    const options: MapOptions = { stopAfterFailures: 3, chunk: 5, concurrency: 1 };
    const tool = doubles(async (ctx) => {
      const batch = await ctx.map(numbers(500), what as typeof double, options);
      return { ...batch.summary() };
    });
    const summary = (await resultOf(tool)) as { done: number; skipped: number };
    expect(summary).toMatchObject({ total: 500, failed: 3, stopped: true });
    expect(summary.done).toBe(27);
    expect(summary.skipped).toBe(470);
    expect(ran.length).toBe(30);
  });

  it('fails with the place when the items can not be read', async () => {
    const tool = doubles(async (ctx) => {
      const items = function* (): Generator<number> {
        yield* numbers(12);
        throw new ToolError('the source dried up');
      };
      await ctx.map(items(), double, { chunk: 5 });
      return {};
    });
    await bench.startWorker([tool]);
    const id = await bench.submit('doubles');
    expect(await bench.text(id)).toBe('reading item 12 of the batch failed: the source dried up');
  });

  it('cancels what a task has started with it', async () => {
    const stopped: number[] = [];
    const hang = defineItem({
      name: 'hang',
      input: z.number(),
      run: (n, { signal }) =>
        new Promise((_resolve, reject) => {
          ran.push(`${n}`);
          signal.addEventListener('abort', () => {
            stopped.push(n);
            reject(signal.reason);
          });
        }),
    });
    const tool = defineTool({
      name: 'doubles',
      description: 'Hangs.',
      input: z.object({}),
      items: [hang],
      run: async (_input, ctx) => {
        await ctx.map(numbers(20), hang, { chunk: 1 });
        return 'done';
      },
    });
    await bench.startWorker([tool], { concurrency: 3 });
    const id = await bench.submit('doubles');
    await waitFor(() => ran.length === 3, { what: 'three items run' });
    // The first ones run while the others are still being stored.
    await waitFor(
      async () =>
        (await bench.sql('SELECT FROM tasks WHERE parent_task_id = $1', [id])).length === 20,
      { what: 'all chunks are stored' },
    );
    const { descendants } = await bench.cancel(id);
    expect(descendants.length).toBe(20);
    await waitFor(() => stopped.length === 3, { what: 'they are stopped', timeoutMs: 1_000 });
    expect(ran.length).toBe(3);
  });
};

describe('maps over BullMQ on Postgres', tests('postgres'));
describeWithRedis('maps over BullMQ on Redis', tests('redis'));
