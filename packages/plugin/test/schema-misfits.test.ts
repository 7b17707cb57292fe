import { describe, expect, it } from '@jest/globals';
import { defineTool, PluginDefinitionError, z } from '@longshore/plugin';

const base = { name: 'greet', description: 'Greets somebody.' };

function mistake(schemas: { input?: z.ZodObject; output?: z.ZodObject }): string {
  const { input = z.object({}), output } = schemas;
  try {
    if (output === undefined) defineTool({ ...base, input, run: () => '' });
    else defineTool({ ...base, input, output, run: () => ({}) });
  } catch (error) {
    if (error instanceof PluginDefinitionError) return error.message;
    throw error;
  }
  return 'no mistake found';
}

const outputs: [string, z.ZodType, string][] = [
  ['a BigInt', z.bigint(), 'output.it is a BigInt: write z.int(), or z.string() and return'],
  [
    'a Date',
    z.date(),
    'output.it is a Date: write z.iso.datetime(), and return date.toISOString()',
  ],
  ['a Map', z.map(z.string(), z.int()), 'output.it is a Map: write z.record(z.string(), ...)'],
  ['a Set', z.set(z.int()), 'output.it is a Set: write z.array(...), and return [...set]'],
  ['undefined', z.undefined(), 'output.it is undefined: leave it out, or write .optional()'],
  ['nothing', z.void(), 'output.it is undefined: leave it out'],
  ['a symbol', z.symbol(), 'output.it is a Symbol: write z.string() or z.enum([...])'],
  ['NaN', z.nan(), 'output.it is NaN: write z.number().nullable()'],
  ['a class', z.instanceof(URL), 'output.it is a custom type or an instance of a class: write'],
  ['a transform', z.string().transform(Number), 'output.it is a transform, of which nobody can'],
  ['a promise', z.promise(z.int()), 'output.it is a promise: write the type it resolves to'],
  ['a File', z.file(), 'output.it is a File: write it with ctx.file(name)'],
  ['a BigInt literal', z.literal(1n), 'output.it is a literal that is undefined or a BigInt'],
];

describe('a result that JSON can not carry', () => {
  it.each(outputs)('%s is named with its place and what to write instead', (_what, it, message) => {
    expect(mistake({ output: z.object({ it }) })).toContain(message);
  });

  it('is found wherever it is, and all of them at once', () => {
    const output = z.object({
      rows: z.array(z.object({ at: z.date() })),
      byName: z.record(z.string(), z.bigint().optional()),
      either: z.union([z.string(), z.set(z.string())]),
    });
    const message = mistake({ output });
    expect(message).toContain('output.rows[].at is a Date');
    expect(message).toContain('output.byName{} is a BigInt');
    expect(message).toContain('output.either is a Set');
    expect(message).toContain("tool 'greet': output can not be written as JSON Schema (");
  });
});

describe('arguments that JSON can not carry', () => {
  it('are told how they arrive', () => {
    const input = z.object({ since: z.date(), file: z.file() });
    const message = mistake({ input });
    expect(message).toContain('input.since is a Date: write z.iso.datetime(), and new Date(value)');
    expect(message).toContain('input.file is a File: write z.string() for its path');
  });

  it('may be made into anything once they are here', () => {
    expect(mistake({ input: z.object({ n: z.string().transform(BigInt) }) })).toBe(
      'no mistake found',
    );
  });
});
