import { describe, expect, it } from '@jest/globals';
import {
  defineItem,
  defineMiddleware,
  definePlugin,
  defineTool,
  type Middleware,
  type Tool,
  ToolError,
  withMiddleware,
  z,
} from '@longshore/plugin';
import { loadPlugin } from '@longshore/plugin/host';
import { runTool, ToolSchemaError, testHost } from '@longshore/plugin/testing';
import * as guardedTools from './fixtures/guarded-tools.ts';

/** Notes when what is inside begins and ends. */
const noting =
  (notes: string[], name: string): Middleware =>
  async (_call, next) => {
    notes.push(name);
    const returned = await next();
    notes.push(`/${name}`);
    return returned;
  };

const tool = (notes: string[], ...middleware: Middleware[]) =>
  defineTool({
    name: 'inner',
    description: 'For tests.',
    input: z.object({ n: z.number().default(1) }),
    output: z.object({ n: z.number() }),
    middleware,
    run: ({ n }) => {
      notes.push('run');
      return { n };
    },
  });

function only(tools: readonly Tool[]): Tool {
  const [first, ...more] = tools;
  if (first === undefined || more.length > 0) throw new Error(`${tools.length} tools`);
  return first;
}

describe('middleware', () => {
  it('runs from outside to inside: the module, the plugin, the tool', async () => {
    const notes: string[] = [];
    const inner = tool(notes, noting(notes, 'tool 1'), noting(notes, 'tool 2'));
    const module = {
      plugin: definePlugin({
        name: 'p',
        middleware: [noting(notes, 'plugin')],
        tools: () => [inner],
      }),
      a: defineMiddleware(noting(notes, 'module 1'), noting(notes, 'module 2')),
    };
    await runTool(only(loadPlugin(module, testHost()).tools), {});
    const names = ['module 1', 'module 2', 'plugin', 'tool 1', 'tool 2'];
    expect(notes).toEqual([...names, 'run', ...names.toReversed().map((name) => `/${name}`)]);
  });

  it('sees the tool, the parsed arguments and the context, and what the tool returned', async () => {
    const seen: unknown[] = [];
    const look: Middleware = async ({ tool: { name }, input, ctx }, next) => {
      seen.push(name, input, ctx.attempt);
      const returned = await next();
      seen.push(returned);
      return returned;
    };
    await runTool(tool([], look), {}, { attempt: 3 });
    expect(seen).toEqual(['inner', { n: 1 }, 3, { n: 1 }]);
  });

  it('may answer instead of the tool, and change its result, both checked after it', async () => {
    const notes: string[] = [];
    const answered = await runTool(
      tool(notes, () => ({ n: 7 })),
      {},
    );
    expect([answered.output, notes]).toEqual([{ n: 7 }, []]);
    const wrong = runTool(
      withMiddleware(tool([]), async (_call, next) => ({ n: String(await next()) })),
      {},
    );
    await expect(wrong).rejects.toBeInstanceOf(ToolSchemaError);
    await expect(wrong).rejects.toMatchObject({ side: 'output' });
  });

  it('hands another context on, but no other arguments', async () => {
    const asked: unknown[] = [];
    const ask = defineTool({
      name: 'ask',
      description: 'For tests.',
      input: z.object({ secret: z.string() }),
      run: ({ secret }, ctx) => {
        asked.push(secret);
        ctx.log.info('used', { secret });
        return 'done';
      },
    });
    const redact: Middleware = ({ ctx }, next) =>
      next({ ...ctx, log: { ...ctx.log, info: (message) => ctx.log.info(message) } });
    const { logs } = await runTool(withMiddleware(ask, redact), { secret: 's3cret' });
    expect(logs).toEqual([{ level: 'info', message: 'used', fields: {} }]);
    expect(asked).toEqual(['s3cret']);
  });

  it('throws for the tool, and sees what the tool throws', async () => {
    const failing = defineTool({
      name: 'failing',
      description: 'For tests.',
      input: z.object({}),
      run: () => {
        throw new Error('no such city');
      },
    });
    const explain: Middleware = async (_call, next) => {
      try {
        return await next();
      } catch (error) {
        throw new ToolError(`explained: ${error instanceof Error ? error.message : ''}`);
      }
    };
    await expect(runTool(withMiddleware(failing, explain), {})).rejects.toThrow(
      new ToolError('explained: no such city'),
    );
  });

  it('runs what is inside once', async () => {
    const notes: string[] = [];
    const twice: Middleware = async (_call, next) => {
      await next();
      return next();
    };
    await expect(runTool(tool(notes, twice), {})).rejects.toThrow(
      "middleware 0 of tool 'inner' called next() a second time",
    );
    expect(notes).toEqual(['run']);
  });

  it('that does not wait for a tool which fails later ends no process', async () => {
    const later = defineTool({
      name: 'later',
      description: 'For tests.',
      input: z.object({}),
      run: () => Promise.reject(new Error('nobody hears it')),
    });
    const hasty: Middleware = (_call, next) => {
      void next();
      return 'before';
    };
    const strays: unknown[] = [];
    const note = (reason: unknown): void => void strays.push(reason);
    process.on('unhandledRejection', note);
    try {
      expect((await runTool(withMiddleware(later, hasty), {})).output).toBe('before');
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off('unhandledRejection', note);
    }
    expect(strays).toEqual([]);
  });

  it('runs around calls and mapped tools, not around item functions', async () => {
    const notes: string[] = [];
    const inner = tool(notes, noting(notes, 'inner'));
    const item = defineItem({ name: 'i', input: z.number(), run: (n) => n });
    const outer = defineTool({
      name: 'outer',
      description: 'For tests.',
      input: z.object({}),
      items: [item],
      middleware: [noting(notes, 'outer')],
      async run(_input, ctx) {
        await ctx.call(inner, { n: 1 });
        await ctx.map([{ n: 2 }], 'inner');
        await ctx.map([3, 4], item);
        return 'done';
      },
    });
    await runTool(outer, {}, { tools: [inner] });
    expect(notes).toEqual([
      'outer',
      ...['inner', 'run', '/inner', 'inner', 'run', '/inner'],
      '/outer',
    ]);
  });

  it('of a plugin exported under two names runs once', async () => {
    const notes: string[] = [];
    const inner = tool(notes);
    const plugin = definePlugin({
      name: 'p',
      middleware: [noting(notes, 'p')],
      tools: () => [inner],
    });
    const loaded = loadPlugin({ plugin, default: plugin }, testHost());
    await runTool(only(loaded.tools), {});
    expect(notes).toEqual(['p', 'run', '/p']);
  });

  it.each<[string, () => unknown, string]>([
    [
      'two exports of it',
      () =>
        loadPlugin({ a: defineMiddleware(), b: defineMiddleware(), inner: tool([]) }, testHost()),
      "exports 'a' and 'b' are both middleware: make it one",
    ],
    [
      'no function',
      () => defineMiddleware(7 as unknown as Middleware),
      'defineMiddleware: middleware 0 is no function',
    ],
    [
      'no function of a tool',
      () => tool([], 'auth' as unknown as Middleware),
      "tool 'inner': middleware 0 is no function",
    ],
    [
      'no list of a plugin',
      () =>
        definePlugin({
          name: 'p',
          tools: () => [],
          middleware: (() => 1) as unknown as Middleware[],
        }),
      "plugin 'p': middleware is no list",
    ],
  ])('with a mistake is refused: %s', (_what, make, message) => {
    expect(make).toThrow(message);
  });
});

describe('the tools of the README', () => {
  const { tools } = loadPlugin(guardedTools, testHost());

  it('are timed, checked and redacted', async () => {
    const run = await runTool(only(tools), { month: '2026-11-01' });
    expect(run.output).toEqual({ people: ['(mail address): 4,000 in 2026-11-01'] });
    expect(run.logs).toEqual([
      { level: 'info', message: 'tool ran', fields: { tool: 'payroll', ms: expect.any(Number) } },
    ]);
    const stranger = runTool(only(tools), { month: '2026-11-01' }, { principal: 'somebody' });
    await expect(stranger).rejects.toThrow(new ToolError('You may not use this tool.'));
  });
});
