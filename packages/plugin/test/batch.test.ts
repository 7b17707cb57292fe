import { describe, expect, it } from '@jest/globals';
import { defineItem, defineTool, ToolError, z } from '@longshore/plugin';
import { runItem } from '@longshore/plugin/host';
import { runTool } from '@longshore/plugin/testing';

const never = new AbortController().signal;

describe('runItem', () => {
  it('tries again until it is through or has used up its attempts', async () => {
    let runs = 0;
    const run = ({ attempt }: { attempt: number }): string => {
      runs += 1;
      if (attempt < 3) throw new Error('not yet');
      return 'done';
    };
    const options = { run, timeoutMs: null, signal: never };
    expect(await runItem({ ...options, attempts: 3 })).toEqual({
      ok: true,
      value: 'done',
      attempts: 3,
    });
    expect(await runItem({ ...options, attempts: 2 })).toEqual({
      ok: false,
      error: { code: 'ITEM_FAILED', message: 'not yet' },
      attempts: 2,
    });
    expect(runs).toBe(5);
  });

  it.each([
    ['a ToolError', new ToolError('no'), { code: 'TOOL_ERROR', message: 'no' }],
    ['a zod error', z.int().safeParse('x').error, { code: 'INVALID_ITEM' }],
  ])('does not try %s again', async (_what, error, expected) => {
    const run = (): never => {
      throw error;
    };
    const end = await runItem({ run, attempts: 5, timeoutMs: null, signal: never });
    expect(end).toMatchObject({ ok: false, error: expected, attempts: 1 });
  });

  it('keeps the code of a system error', async () => {
    const run = (): never => {
      throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
    };
    const end = await runItem({ run, attempts: 1, timeoutMs: null, signal: never });
    expect(end).toMatchObject({ error: { code: 'ENOENT', message: 'no such file' } });
  });

  it('ends an item that takes too long, and tells it', async () => {
    const told: unknown[] = [];
    const run = (tried: { signal: AbortSignal }): Promise<never> =>
      new Promise(() => tried.signal.addEventListener('abort', () => told.push('over')));
    const end = await runItem({ run, attempts: 2, timeoutMs: 20, signal: never });
    expect(end).toEqual({
      ok: false,
      error: { code: 'ITEM_TIMEOUT', message: 'the item did not finish within 20 ms' },
      attempts: 2,
    });
    expect(told).toEqual(['over', 'over']);
  });

  it('says nothing of an item that was stopped with all the others', async () => {
    const all = new AbortController();
    const run = (): Promise<never> => {
      all.abort(new Error('stop'));
      return Promise.reject(new Error('its own'));
    };
    const running = runItem({ run, attempts: 5, timeoutMs: null, signal: all.signal });
    await expect(running).rejects.toThrow('stop');
  });
});

describe('the test kit', () => {
  const half = defineItem({
    name: 'half',
    input: z.int(),
    run: (n) => {
      if (n % 2 === 1) throw new Error(`${n} is odd`);
      return n / 2;
    },
  });
  const add = defineTool({
    name: 'add',
    description: 'Adds.',
    input: z.object({ a: z.int(), b: z.int() }),
    output: z.object({ sum: z.int() }),
    run: ({ a, b }) => ({ sum: a + b }),
  });
  const mapping = defineTool({
    name: 'mapping',
    description: 'Maps in every way.',
    input: z.object({}),
    output: z.looseObject({}),
    items: [half],
    run: async (_input, ctx) => {
      const halves = await ctx.map([2, 3, 'four' as never], half);
      const errors: string[] = [];
      for await (const { index, error } of halves.failures()) errors.push(`${index} ${error.code}`);
      const sums: unknown[] = [];
      for await (const result of ctx.map([{ a: 1, b: 2 }, { a: 'x' }], 'add')) {
        sums.push(result.ok ? result.value : result.error.code);
      }
      const here = await ctx.map([1, 2, 3, 4], (n: number) => half.run(n, {} as never), {
        stopAfterFailures: 1,
      });
      const { sum } = await ctx.call(add, { a: 20, b: 3 });
      return { halves: halves.summary(), errors, sums, here: here.summary(), sum } as never;
    },
  });

  it('maps and calls in memory', async () => {
    const { output } = await runTool(mapping, {}, { tools: [add] });
    expect(output).toEqual({
      halves: { total: 3, done: 1, failed: 2, skipped: 0, stopped: false },
      errors: ['1 ITEM_FAILED', '2 INVALID_ITEM'],
      sums: [{ sum: 3 }, 'INVALID_ARGUMENTS'],
      here: { total: 4, done: 0, failed: 1, skipped: 3, stopped: true },
      sum: 23,
    });
  });

  it('says which tool is missing', async () => {
    await expect(runTool(mapping, {})).rejects.toThrow('Unknown tool: add');
  });
});

it.each([
  [{ chunk: 0 }, 'chunk'],
  [{ concurrency: 1.5 }, 'concurrency'],
  [{ resultMode: 'some' }, 'resultMode'],
  [{ attempts: 3 }, 'attempts'],
])('refuses options of a map that are wrong: %j', async (options, name) => {
  const tool = defineTool({
    name: 'wrong',
    description: 'Maps.',
    input: z.object({}),
    run: async (_input, ctx) => {
      await ctx.map([1], (n: number) => n, options as never);
      return '';
    },
  });
  await expect(runTool(tool, {})).rejects.toThrow(name);
});
