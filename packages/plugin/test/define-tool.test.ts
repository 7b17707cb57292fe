import { describe, expect, it } from '@jest/globals';
import { defineTool, PluginDefinitionError, z } from '@longshore/plugin';
import { isTool } from '@longshore/plugin/host';

const good = {
  name: 'greet',
  description: 'Greets somebody.',
  input: z.object({ who: z.string() }),
  run: () => 'hello',
};

/** What a plugin written in JavaScript can pass, where no compiler objects. */
const defineAnything = defineTool as unknown as (definition: unknown) => unknown;

function mistake(change: Readonly<Record<string, unknown>>): string {
  try {
    defineAnything({ ...good, ...change });
  } catch (error) {
    if (error instanceof PluginDefinitionError) return error.message;
    throw error;
  }
  return 'no mistake found';
}

describe('defineTool', () => {
  it('fills in the defaults', () => {
    const tool = defineTool(good);
    expect(tool).toMatchObject({
      name: 'greet',
      title: null,
      outputSchema: null,
      annotations: null,
      requires: [],
      version: null,
      deprecated: null,
    });
    expect(tool.policy).toEqual({
      support: 'optional',
      asksFirst: false,
      timeoutMs: 600_000,
      attempts: 1,
      backoff: { baseMs: 1_000, factor: 2, maxMs: 60_000 },
      deadlineMs: null,
      queue: 'default',
      isolate: null,
      concurrency: null,
      rate: null,
      cost: null,
      immediateResponse: null,
    });
  });

  it('keeps what the author says', () => {
    const tool = defineTool({
      ...good,
      title: 'Greet',
      annotations: { readOnlyHint: true },
      requires: ['elicitation'],
      version: '2.1.0',
      deprecated: 'Use hail instead.',
      task: {
        support: 'required',
        asksFirst: true,
        timeoutMs: 5,
        attempts: 3,
        backoff: { baseMs: 10 },
        deadlineMs: 50,
        queue: 'slow',
        isolate: 'thread',
        concurrency: 2,
        rate: { starts: 10, perMs: 60_000 },
        cost: { amount: 0.02, unit: 'USD', note: 'per page' },
        immediateResponse: 'On it.',
      },
    });
    expect(tool.title).toBe('Greet');
    expect(tool.annotations).toEqual({ readOnlyHint: true });
    expect(tool.requires).toEqual(['elicitation']);
    expect(tool.policy).toEqual({
      support: 'required',
      asksFirst: true,
      timeoutMs: 5,
      attempts: 3,
      backoff: { baseMs: 10, factor: 2, maxMs: 60_000 },
      deadlineMs: 50,
      queue: 'slow',
      isolate: 'thread',
      concurrency: 2,
      rate: { starts: 10, perMs: 60_000 },
      cost: { amount: 0.02, unit: 'USD', note: 'per page' },
      immediateResponse: 'On it.',
    });
    expect([tool.version, tool.deprecated]).toEqual(['2.1.0', 'Use hail instead.']);
  });

  it('writes the input schema as it is sent and the output schema as it is answered', () => {
    const tool = defineTool({
      ...good,
      input: z.object({ count: z.int().min(1).default(3).describe('How often.') }),
      output: z.object({ done: z.int().default(0) }),
      run: () => ({}),
    });
    expect(tool.inputSchema).toMatchObject({
      type: 'object',
      properties: { count: { type: 'integer', minimum: 1, default: 3, description: 'How often.' } },
    });
    expect(tool.inputSchema['required']).toBeUndefined();
    expect(tool.outputSchema).toMatchObject({ type: 'object', required: ['done'] });
    expect(tool.parseInput({})).toEqual({ count: 3 });
    expect(tool.parseOutput?.({})).toEqual({ done: 0 });
  });

  it('publishes what zod can not say, and annotations of fields', () => {
    const published = {
      type: 'object',
      $defs: { name: { $anchor: 'name', type: 'string' } },
      properties: { who: { $ref: '#name' } },
      if: { required: ['who'] },
      else: { minProperties: 1 },
    } as const;
    const raw = defineTool({ ...good, input: z.looseObject({}), inputJsonSchema: published });
    expect(raw.inputSchema).toEqual(published);
    expect(raw.parseInput({ who: 'x' })).toEqual({ who: 'x' });
    const annotated = defineTool({
      ...good,
      input: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
    });
    expect(annotated.inputSchema).toMatchObject({
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
    });
  });

  it('is recognised, also when another copy of this package made it', () => {
    expect(isTool(defineTool(good))).toBe(true);
    expect(isTool({ ...defineTool(good) })).toBe(true);
    expect(isTool(good)).toBe(false);
    expect(isTool(null)).toBe(false);
  });
});

describe('a mistake in a definition', () => {
  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    [
      'a name with spaces',
      { name: 'say hello' },
      `tool name "say hello": use 1 to 128 letters, digits, '_', '-' or '.'`,
    ],
    ['no name', { name: undefined }, 'tool name undefined: use 1 to 128 letters'],
    ['a name that is too long', { name: 'x'.repeat(129) }, 'use 1 to 128 letters'],
    ['no description', { description: undefined }, "tool 'greet': description is missing"],
    ['a blank description', { description: ' \n' }, "tool 'greet': description is empty"],
    ['no run', { run: undefined }, "tool 'greet' has no run(input, ctx) function"],
    [
      'no input',
      { input: undefined },
      "tool 'greet': input is no zod schema; write input: z.object",
    ],
    [
      'a plain object for input',
      { input: { who: 'string' } },
      "tool 'greet': input is no zod schema; write input: z.object({ ... }) with z from '@longshore/plugin'",
    ],
    ["another zod's schema", { input: { _def: {} } }, 'input was made by another zod than ours'],
    ['an input that is no object', { input: z.string() }, 'input must be an object schema'],
    [
      'an output that is no object',
      { output: z.array(z.int()) },
      'output must be an object schema',
    ],
    [
      'a type JSON does not have',
      { input: z.object({ when: z.date() }) },
      "tool 'greet': input can not be written as JSON Schema (",
    ],
    [
      'an unknown option',
      { timeoutMs: 5 },
      "tool 'greet': timeoutMs is not a known option (known:",
    ],
    [
      'an unknown task option',
      { task: { timeout: 5 } },
      "tool 'greet': task.timeout is not a known option (known: support, asksFirst, timeoutMs, attempts",
    ],
    [
      'an unknown hint',
      { annotations: { readonly: true } },
      'annotations.readonly is not a known option (known: title, readOnlyHint',
    ],
    ['an unknown need', { requires: ['tasks'] }, 'requires.0 Invalid option'],
    [
      'a published schema that is no object',
      { inputJsonSchema: { type: 'string' } },
      "tool 'greet': inputJsonSchema",
    ],
    [
      'an unknown support',
      { task: { support: 'always' } },
      `task.support must be 'forbidden', 'optional' or 'required', not "always"`,
    ],
    ['no time', { task: { timeoutMs: 0 } }, 'task.timeoutMs must be above 0, not 0'],
    [
      'a time beyond timers',
      { task: { timeoutMs: 2_147_483_648 } },
      'task.timeoutMs must be at most 2147483647, not 2147483648',
    ],
    [
      'a time in words',
      { task: { timeoutMs: '10s' } },
      'task.timeoutMs must be a whole number of milliseconds, not "10s"',
    ],
    [
      'half an attempt',
      { task: { attempts: 1.5 } },
      'task.attempts must be a whole number, not 1.5',
    ],
    [
      'an isolation there is none of',
      { task: { isolate: 'process' } },
      `task.isolate must be 'thread' or left out, not "process"`,
    ],
    ['an isolation that is no text', { task: { isolate: true } }, "task.isolate must be 'thread'"],
    ['no attempt', { task: { attempts: 0 } }, 'task.attempts must be at least 1, not 0'],
    [
      'a shrinking delay',
      { task: { backoff: { factor: 0.5 } } },
      'task.backoff.factor must be at least 1, not 0.5',
    ],
    [
      'a queue with a colon',
      { task: { queue: 'a:b' } },
      `task.queue must be 1 to 64 letters, digits, '_' or '-', not "a:b"`,
    ],
    ['a version that is a number', { version: 2 }, 'version must be a text'],
    [
      'a version that is a book',
      { version: '1'.repeat(65) },
      'version must be at most 64 characters',
    ],
    ['deprecation without a reason', { deprecated: ' ' }, 'deprecated must be a text: what to use'],
    ['deprecation by a flag', { deprecated: true }, 'deprecated must be a text: what to use'],
    [
      'a negative cost',
      { task: { cost: { amount: -1, unit: 'USD' } } },
      'amount must be at least 0',
    ],
    [
      'a cost of nothing',
      { task: { cost: { amount: 1 } } },
      'task.cost.unit must be a text, such as',
    ],
    [
      'a rate of no starts',
      { task: { rate: { starts: 0, perMs: 1 } } },
      'task.rate.starts must be',
    ],
    [
      'half a start',
      { task: { rate: { starts: 0.5, perMs: 1 } } },
      'task.rate.starts must be a whole number, not 0.5',
    ],
    [
      'a rate without a period',
      { task: { rate: { starts: 1 } } },
      'task.rate.perMs must be a whole number of milliseconds, not undefined',
    ],
    [
      'a rate per no time',
      { task: { rate: { starts: 1, perMs: 0 } } },
      'task.rate.perMs must be above 0, not 0',
    ],
    [
      'a rate per more than a day',
      { task: { rate: { starts: 1, perMs: 86_400_001 } } },
      'task.rate.perMs must be at most 86400000, not 86400001',
    ],
    [
      'a rate that is no object',
      { task: { rate: 10 } },
      'task.rate must be { starts, perMs }, such as { starts: 10, perMs: 60_000 }, not 10',
    ],
    ['middleware that is no list', { middleware: () => 1 }, "tool 'greet': middleware is no list"],
  ])('%s is named with its remedy', (_what, change, message) => {
    expect(mistake(change)).toContain(message);
  });

  it('is told together with all others of the tool', () => {
    const message = mistake({ title: 7, task: { attempts: 0, deadlineMs: -1, concurrency: 0 } });
    expect(message).toContain('title must be a text');
    expect(message).toContain('task.attempts must be at least 1, not 0');
    expect(message).toContain('task.deadlineMs must be above 0, not -1');
    expect(message).toContain('task.concurrency must be at least 1, not 0');
  });

  it('is an error when there is no definition at all', () => {
    expect(() => defineAnything(undefined)).toThrow('defineTool takes an object');
  });
});
