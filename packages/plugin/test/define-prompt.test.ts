import { describe, expect, it } from '@jest/globals';
import { definePrompt, PluginDefinitionError, z } from '@longshore/plugin';
import { isPrompt } from '@longshore/plugin/host';
import { runPrompt, ToolSchemaError } from '@longshore/plugin/testing';

const review = definePrompt({
  name: 'review',
  title: 'Review',
  description: 'Reviews code.',
  arguments: z.object({
    language: z.enum(['ts', 'rust']).describe('Of the code.'),
    depth: z.string().transform(Number).optional(),
  }),
  complete: {
    language: (value, { arguments: given }) =>
      given['depth'] === '9' ? ['rust'] : ['ts', 'rust'].filter((name) => name.startsWith(value)),
  },
  run: ({ language, depth = 1 }) => `Review this ${language}, ${depth + 1} times.`,
});

const asking = { signal: new AbortController().signal, principal: 'p', arguments: {} };

describe('definePrompt', () => {
  it('announces its arguments as clients see them', () => {
    expect(review).toMatchObject({
      name: 'review',
      title: 'Review',
      description: 'Reviews code.',
      arguments: [
        { name: 'language', description: 'Of the code.', required: true },
        { name: 'depth', description: null, required: false },
      ],
      completes: ['language'],
      policy: { timeoutMs: 60_000, queue: 'default' },
    });
    expect(isPrompt(review)).toBe(true);
    expect(isPrompt({ name: 'review' })).toBe(false);
  });

  it('makes a message of the user from a text', async () => {
    const { output } = await runPrompt(review, { language: 'ts', depth: '2' });
    expect(output).toEqual({
      messages: [{ role: 'user', content: { type: 'text', text: 'Review this ts, 3 times.' } }],
    });
  });

  it('passes messages on, and may ask the user', async () => {
    const prompt = definePrompt({
      name: 'greeting',
      run: async (_args, ctx) => {
        const answer = await ctx.elicit(z.object({ name: z.string() }), 'Who are you?');
        return {
          description: 'A greeting.',
          messages: [
            { role: 'assistant', content: { type: 'text', text: JSON.stringify(answer) } },
          ],
        };
      },
    });
    const { output, questions } = await runPrompt(
      prompt,
      {},
      { answers: [{ action: 'accept', content: { name: 'Ann' } }] },
    );
    expect(output.description).toBe('A greeting.');
    expect(JSON.stringify(output.messages)).toContain('Ann');
    expect(questions).toHaveLength(1);
  });

  it('refuses arguments that do not fit', async () => {
    const run = runPrompt(review, { language: 'cobol' } as unknown as { language: 'ts' });
    await expect(run).rejects.toThrow(ToolSchemaError);
  });

  it.each([[7], [{ messages: [{ role: 'system', content: 'x' }] }], [undefined]])(
    'refuses to return %j',
    async (returned) => {
      const prompt = definePrompt({ name: 'bad', run: () => returned as unknown as string });
      await expect(runPrompt(prompt, {})).rejects.toThrow(
        'a prompt returns a text or { messages: [{ role, content }] }',
      );
    },
  );

  it('suggests values for its arguments, 100 at most', async () => {
    expect(await review.complete('language', 'r', asking)).toEqual({
      values: ['rust'],
      total: 1,
      hasMore: false,
    });
    const other = { ...asking, arguments: { depth: '9' } };
    expect((await review.complete('language', 't', other)).values).toEqual(['rust']);
    expect((await review.complete('depth', '', asking)).values).toEqual([]);
    expect((await review.complete('toString', '', asking)).values).toEqual([]);
    const many = definePrompt({
      name: 'many',
      arguments: z.object({ n: z.string() }),
      complete: { n: async () => Array.from({ length: 101 }, (_, index) => `${index}`) },
      run: () => '',
    });
    const found = await many.complete('n', '', asking);
    expect([found.values.length, found.total, found.hasMore]).toEqual([100, 101, true]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a bad name', { name: 'a b' }, 'prompt name "a b": use 1 to 128 letters'],
    ['no run', { run: 1 }, "prompt 'p' has no run(args, ctx) function"],
    ['an unknown option', { input: 1 }, "prompt 'p': input is not a known option (known: name"],
    [
      'an argument that is no text',
      { arguments: z.object({ n: z.int() }) },
      "prompt 'p': argument 'n' takes no text, and MCP has no others: write z.string()",
    ],
    [
      'arguments that are no object',
      { arguments: z.string() },
      'arguments must be an object schema',
    ],
    [
      'a completion of no argument',
      { complete: { x: () => [] } },
      "prompt 'p': complete.x is of no argument (there are: none)",
    ],
    ['a completion that is no function', { complete: { x: 1 } }, 'complete.x must be a function'],
    ['a bad queue', { queue: 'a b' }, 'queue must be 1 to 64 letters'],
  ])('names %s and its remedy', (_what, change, message) => {
    const define = definePrompt as unknown as (definition: unknown) => unknown;
    const broken = () => define({ name: 'p', run: () => 'x', ...change });
    expect(broken).toThrow(PluginDefinitionError);
    expect(broken).toThrow(message);
  });
});
