import { describe, expect, it } from '@jest/globals';
import { defineTool, type Tool, ToolError, z } from '@longshore/plugin';
import { runTool, startTool, ToolSchemaError } from '@longshore/plugin/testing';

const countTo = defineTool({
  name: 'count_to',
  description: 'Counts, resuming where an earlier attempt stopped.',
  input: z.object({ limit: z.int().max(100), step: z.int().default(1) }),
  output: z.object({ reached: z.int() }),
  async run({ limit, step }, ctx) {
    const saved = await ctx.checkpoint.get('reached');
    let reached = typeof saved === 'number' ? saved : 0;
    ctx.log.info('counting', { from: reached });
    while (reached < limit) {
      ctx.signal.throwIfAborted();
      reached += step;
      await ctx.checkpoint.set('reached', reached);
      ctx.progress(reached, limit, `at ${reached}`);
    }
    ctx.statusMessage('done');
    return { reached };
  },
});

describe('runTool', () => {
  it('returns the output and records what the tool did', async () => {
    const run = await runTool(countTo, { limit: 2 });
    expect(run.output).toEqual({ reached: 2 });
    expect(run.progress).toEqual([
      { done: 1, total: 2, message: 'at 1' },
      { done: 2, total: 2, message: 'at 2' },
    ]);
    expect(run.statusMessages).toEqual(['done']);
    expect(run.logs).toEqual([{ level: 'info', message: 'counting', fields: { from: 0 } }]);
    expect([...run.checkpoints]).toEqual([['reached', 2]]);
  });

  it('plays a retry from the checkpoints of an earlier run', async () => {
    const checkpoints = new Map([['reached', 7]]);
    const run = await runTool(countTo, { limit: 9 }, { attempt: 2, checkpoints });
    expect(run.progress.map(({ done }) => done)).toEqual([8, 9]);
    expect([...checkpoints]).toEqual([['reached', 7]]);
  });

  it('rejects an input that does not fit before the tool runs', async () => {
    const error = await runTool(countTo, { limit: 500 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ToolSchemaError);
    expect(error).toMatchObject({ side: 'input' });
    expect(String(error)).toContain('limit');
  });

  it('rejects an output that does not fit', async () => {
    const wrong = defineTool({
      name: 'wrong',
      description: 'Returns too much.',
      input: z.object({}),
      output: z.object({ share: z.number().max(1) }),
      run: () => ({ share: 2 }),
    });
    await expect(runTool(wrong, {})).rejects.toMatchObject({
      name: 'ToolSchemaError',
      side: 'output',
    });
  });

  it('rejects with what the tool throws', async () => {
    const failing = defineTool({
      name: 'failing',
      description: 'Fails.',
      input: z.object({}),
      run: () => {
        throw new ToolError('no such city');
      },
    });
    await expect(runTool(failing, {})).rejects.toThrow(new ToolError('no such city'));
  });

  it('takes a tool whose types are forgotten', async () => {
    const tool: Tool = countTo;
    const { output } = await runTool(tool, { limit: 1 });
    expect(output).toEqual({ reached: 1 });
  });

  it('gives the tool the facts of the run', async () => {
    const facts = defineTool({
      name: 'facts',
      description: 'Tells its own context.',
      input: z.object({}),
      run: (_input, ctx) =>
        [ctx.taskId, ctx.principal, ctx.attempt, ctx.deadline?.toISOString()].join(' '),
    });
    const { output } = await runTool(
      facts,
      {},
      {
        taskId: 't',
        principal: 'p',
        attempt: 4,
        deadline: new Date(0),
      },
    );
    expect(output).toBe('t p 4 1970-01-01T00:00:00.000Z');
  });
});

describe('startTool', () => {
  it('aborts a running tool and keeps what it recorded', async () => {
    const run = startTool(
      countTo,
      { limit: 100 },
      {
        onProgress: ({ done }) => {
          if (done === 5) run.abort(new Error('cancelled'));
        },
      },
    );
    await expect(run.output).rejects.toThrow('cancelled');
    expect(run.progress).toHaveLength(5);
    expect(run.checkpoints.get('reached')).toBe(5);
  });

  it('listens to a signal of the caller as well', async () => {
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(startTool(countTo, { limit: 3 }, { signal }).output).rejects.toThrow('too late');
  });
});
