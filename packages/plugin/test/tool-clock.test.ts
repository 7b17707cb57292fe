import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { defineTool, z } from '@longshore/plugin';
import { runTool, startTool } from '@longshore/plugin/testing';
import { createClock } from '@sinonjs/fake-timers';

const HOUR_MS = 3_600_000;

/** Waits a whole day, which no test would. */
const daily = defineTool({
  name: 'daily',
  description: 'Looks every hour, for a day.',
  input: z.object({}),
  output: z.object({ tookMs: z.number() }),
  async run(_input, ctx) {
    const startedAt = ctx.now();
    for (let hour = 1; hour <= 24; hour += 1) {
      await ctx.sleep(HOUR_MS);
      ctx.progress(hour, 24);
    }
    return { tookMs: ctx.now() - startedAt };
  },
});

describe('a tool that waits', () => {
  afterEach(() => void jest.useRealTimers());

  it('runs by the clock it is given', async () => {
    const clock = createClock();
    const run = startTool(daily, {}, { clock });
    await clock.tickAsync(2 * HOUR_MS);
    expect(run.progress).toHaveLength(2);
    await clock.tickAsync(22 * HOUR_MS - 1);
    expect(run.progress).toHaveLength(23);
    await clock.tickAsync(1);
    expect(await run.output).toEqual({ tookMs: 24 * HOUR_MS });
  });

  it('runs by timers that the test runner has replaced', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
    const run = startTool(daily, {});
    await jest.advanceTimersByTimeAsync(24 * HOUR_MS);
    expect(await run.output).toEqual({ tookMs: 24 * HOUR_MS });
  });

  it('stops waiting when it is aborted, and leaves no timer behind', async () => {
    const clock = createClock();
    const run = startTool(daily, {}, { clock });
    await clock.tickAsync(HOUR_MS);
    expect(clock.countTimers()).toBe(1);
    run.abort(new Error('cancelled'));
    await expect(run.output).rejects.toThrow('cancelled');
    expect(clock.countTimers()).toBe(0);
  });

  it('waits by the same clock when it is mapped over', async () => {
    const clock = createClock();
    const mapping = defineTool({
      name: 'mapping',
      description: 'For tests.',
      input: z.object({}),
      output: z.object({ done: z.int() }),
      async run(_input, ctx) {
        return { done: (await ctx.map([{}, {}], daily)).summary().done };
      },
    });
    const run = startTool(mapping, {}, { clock });
    await clock.runAllAsync();
    expect(await run.output).toEqual({ done: 2 });
  });

  it('stops waiting when its item is out of time', async () => {
    const clock = createClock();
    const mapping = defineTool({
      name: 'mapping',
      description: 'For tests.',
      input: z.object({}),
      output: z.object({ codes: z.array(z.string()) }),
      async run(_input, ctx) {
        const codes: string[] = [];
        const batch = await ctx.map([{}], daily, { itemTimeoutMs: 50 });
        for await (const { error } of batch.failures()) codes.push(error.code);
        return { codes };
      },
    });
    const { output } = await runTool(mapping, {}, { clock });
    expect(output).toEqual({ codes: ['ITEM_TIMEOUT'] });
    expect(clock.countTimers()).toBe(0);
  });

  it.each([-1, Number.NaN, 2 ** 31])('can not wait %d ms', async (ms) => {
    const wrong = defineTool({
      name: 'wrong',
      description: 'For tests.',
      input: z.object({}),
      run: async (_input, ctx) => {
        await ctx.sleep(ms);
        return 'slept';
      },
    });
    await expect(runTool(wrong, {})).rejects.toThrow(RangeError);
  });
});
