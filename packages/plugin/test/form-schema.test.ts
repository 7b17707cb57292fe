import { describe, expect, it } from '@jest/globals';
import { type FormSchema, FormSchemaError, z } from '@longshore/plugin';
import { recordedContext } from '@longshore/plugin/testing';

/** The requestedSchema that a client gets. */
async function requested(form: z.ZodObject | FormSchema): Promise<unknown> {
  const { ctx, recording } = recordedContext(
    { answers: [{ action: 'cancel' }] },
    new AbortController().signal,
  );
  await ctx.elicit(form as z.ZodObject, 'Well?');
  return recording.questions[0]?.params['requestedSchema'];
}

const field = async (schema: z.ZodType): Promise<unknown> => {
  const form = await requested(z.object({ it: schema }));
  return (form as { properties: { it: unknown } }).properties.it;
};

describe('a form', () => {
  it('says which fields are required, and nothing of those that need not be sent', async () => {
    const form = z.object({ a: z.string(), b: z.int().optional(), c: z.boolean().default(true) });
    expect(await requested(form)).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { type: 'integer' },
        c: { type: 'boolean', default: true },
      },
      required: ['a'],
    });
  });

  it.each<[string, z.ZodType, object]>([
    [
      'a text with limits, title and description',
      z.string().min(1).max(9).describe('Yours.').meta({ title: 'Name' }),
      { type: 'string', minLength: 1, maxLength: 9, title: 'Name', description: 'Yours.' },
    ],
    ['an address', z.email(), { type: 'string', format: 'email' }],
    ['a link', z.url(), { type: 'string', format: 'uri' }],
    ['a day', z.iso.date(), { type: 'string', format: 'date' }],
    ['a time', z.iso.datetime(), { type: 'string', format: 'date-time' }],
    ['a text of a form MCP does not know', z.uuid(), { type: 'string' }],
    [
      'a text with a pattern',
      z.string().regex(/^a/).default('a'),
      { type: 'string', default: 'a' },
    ],
    ['a number', z.number().min(0.5).max(2), { type: 'number', minimum: 0.5, maximum: 2 }],
    ['a number above', z.number().positive(), { type: 'number', minimum: 0 }],
    ['a whole number above', z.int().positive(), { type: 'integer', minimum: 1 }],
    ['a whole number below', z.int().lt(10), { type: 'integer', maximum: 9 }],
    [
      'a choice',
      z.enum(['a', 'b']).default('b'),
      { type: 'string', enum: ['a', 'b'], default: 'b' },
    ],
    ['a single choice', z.literal('a'), { type: 'string', enum: ['a'] }],
    [
      'a choice with names for older clients',
      z.enum(['a']).meta({ enumNames: ['A'] }),
      { type: 'string', enum: ['a'], enumNames: ['A'] },
    ],
    [
      'a choice with titles',
      z.union([z.literal('a').meta({ title: 'A' }), z.literal('b')]).default('a'),
      {
        type: 'string',
        oneOf: [
          { const: 'a', title: 'A' },
          { const: 'b', title: 'b' },
        ],
        default: 'a',
      },
    ],
    [
      'several choices',
      z
        .array(z.enum(['a', 'b']))
        .min(1)
        .max(2)
        .default(['a']),
      {
        type: 'array',
        items: { type: 'string', enum: ['a', 'b'] },
        minItems: 1,
        maxItems: 2,
        default: ['a'],
      },
    ],
    [
      'several choices with titles',
      z.array(z.union([z.literal('a').meta({ title: 'A' })])),
      { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
    ],
  ])('has %s', async (_what, schema, expected) => {
    expect(await field(schema)).toEqual(expected);
  });

  it.each<[string, z.ZodType, string]>([
    [
      'an object',
      z.object({ city: z.string() }),
      "field 'it' of the form is an object: forms are flat",
    ],
    ['a list of texts', z.array(z.string()), "field 'it' of the form is a list of anything: lists"],
    ['a nullable', z.string().nullable(), 'is nullable: write .optional() instead of .nullable()'],
    ['a date', z.date(), 'the form can not be written as JSON Schema'],
    ['anything', z.unknown(), "field 'it' of the form is of no single type: use z.string()"],
    ['a union', z.union([z.string(), z.int()]), 'is of no single type'],
  ])('can not have %s, and says what to write', async (_what, schema, message) => {
    await expect(field(schema)).rejects.toThrow(FormSchemaError);
    await expect(field(schema)).rejects.toThrow(message);
  });

  it('may be written as JSON Schema', async () => {
    const raw: FormSchema = {
      type: 'object',
      properties: {
        old: { type: 'string', enum: ['a'], enumNames: ['A'] },
        many: { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }] }, maxItems: 1 },
      },
      required: ['old'],
    };
    expect(await requested(raw)).toEqual(raw);
  });

  it.each<[string, unknown, string]>([
    ['no object', { type: 'string' }, 'a form is z.object({ ... }) or'],
    [
      'a pattern',
      { type: 'object', properties: { a: { type: 'string', pattern: 'x' } } },
      "field 'a' is none that MCP forms have",
    ],
    [
      'an unknown required field',
      { type: 'object', properties: {}, required: ['a'] },
      "the required field 'a' is not among the properties",
    ],
    ['nothing', null, 'a form is z.object({ ... })'],
    ["another zod's schema", { _def: {} }, "take z from '@longshore/plugin'"],
  ])('is refused as JSON Schema with %s', async (_what, raw, message) => {
    await expect(requested(raw as FormSchema)).rejects.toThrow(message);
  });
});
