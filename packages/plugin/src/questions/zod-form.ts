import * as z from 'zod';
import type { FormField, FormSchema } from './form-schema.ts';
import { FormSchemaError } from './form-schema.ts';

/** Keywords that pass into a field, by the type of the field. All others are checked after the answer. */
const KEPT = {
  string: ['minLength', 'maxLength', 'default'],
  choice: ['enumNames', 'default'],
  number: ['default'],
  boolean: ['default'],
  array: ['minItems', 'maxItems', 'default'],
} as const;

const FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time'];

const REMEDIES: Readonly<Record<string, string>> = {
  object: 'forms are flat: give its members names of their own, such as address_city',
  array: 'lists in forms choose from given texts: write z.array(z.enum([ ... ]))',
  null: 'write .optional() instead of .nullable()',
};

type Schema = { readonly [keyword: string]: unknown };

/**
 * MCP's restricted form schema of a zod object (2025-11-25 client/elicitation). What it has no words for
 * within a field, such as a pattern or a refinement, is left out: the answer is parsed by the zod object
 * afterwards, and asked again when it does not fit.
 *
 * @throws {FormSchemaError} a field that no form has, such as an object or a nullable
 */
export function zodForm(form: z.ZodType): FormSchema {
  let schema: Schema;
  try {
    schema = z.toJSONSchema(form, { target: 'draft-2020-12', io: 'input', reused: 'inline' });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FormSchemaError(
      `the form can not be written as JSON Schema (${reason}); use texts, numbers, booleans and z.enum`,
      { cause },
    );
  }
  const { properties } = schema;
  if (schema['type'] !== 'object' || !isSchema(properties)) {
    throw new FormSchemaError('a form is z.object({ ... }) with one member per field');
  }
  const fields = Object.entries(properties).map(([name, field]) => [name, toField(name, field)]);
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return {
    type: 'object',
    properties: Object.fromEntries(fields),
    ...(required.length > 0 ? { required } : {}),
  };
}

function toField(name: string, schema: unknown): FormField {
  if (!isSchema(schema)) throw unfit(name, 'of no type', 'any');
  const { type } = schema;
  const labels = pick(schema, ['title', 'description']);
  const options = titledOptions(schema['anyOf'] ?? schema['oneOf']);
  if (options !== null) {
    return { ...labels, type: 'string', oneOf: options, ...pick(schema, KEPT.choice) };
  }
  if (type === 'boolean') return { ...labels, type, ...pick(schema, KEPT.boolean) };
  if (type === 'number' || type === 'integer') {
    return { ...labels, type, ...limits(schema, type), ...pick(schema, KEPT.number) };
  }
  if (type === 'string') {
    const values = choices(schema);
    if (values !== null) return { ...labels, type, enum: values, ...pick(schema, KEPT.choice) };
    const format = FORMATS.includes(schema['format']) ? pick(schema, ['format']) : {};
    return { ...labels, type, ...format, ...pick(schema, KEPT.string) };
  }
  if (type === 'array') return { ...labels, type, ...listField(name, schema) };
  if (Array.isArray(type) || hasNull(schema)) throw unfit(name, 'nullable', 'null');
  throw unfit(name, typeof type === 'string' ? `an ${type}` : 'of no single type', String(type));
}

function listField(
  name: string,
  schema: Schema,
): Omit<Extract<FormField, { type: 'array' }>, 'type'> {
  const { items } = schema;
  if (!isSchema(items)) throw unfit(name, 'a list', 'array');
  const kept = pick(schema, KEPT.array);
  const options = titledOptions(items['anyOf'] ?? items['oneOf']);
  if (options !== null) return { items: { anyOf: options }, ...kept };
  const values = items['type'] === 'string' ? choices(items) : null;
  if (values === null) throw unfit(name, 'a list of anything', 'array');
  return { items: { type: 'string', enum: values }, ...kept };
}

/** Forms have inclusive limits only; an exclusive one of a whole number can still be said exactly. */
function limits(
  schema: Schema,
  type: 'number' | 'integer',
): { minimum?: number; maximum?: number } {
  const step = type === 'integer' ? 1 : 0;
  const bound = (value: unknown, shift: number): number[] =>
    typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? [value + shift] : [];
  const lower = [...bound(schema['minimum'], 0), ...bound(schema['exclusiveMinimum'], step)];
  const upper = [...bound(schema['maximum'], 0), ...bound(schema['exclusiveMaximum'], -step)];
  return {
    ...(lower.length > 0 ? { minimum: Math.max(...lower) } : {}),
    ...(upper.length > 0 ? { maximum: Math.min(...upper) } : {}),
  };
}

/** The texts of z.enum or z.literal; null when the field is free text. */
function choices(schema: Schema): string[] | null {
  if (typeof schema['const'] === 'string') return [schema['const']];
  const values = schema['enum'];
  return Array.isArray(values) && values.every((value) => typeof value === 'string')
    ? values
    : null;
}

/** Of z.union([z.literal('a').meta({ title: 'A' }), ...]); a literal without a title is its own. */
function titledOptions(members: unknown): { const: string; title: string }[] | null {
  if (!Array.isArray(members) || members.length === 0) return null;
  const options = members.map((member: unknown) => {
    if (!isSchema(member) || typeof member['const'] !== 'string') return null;
    const { const: value, title } = member;
    return { const: value, title: typeof title === 'string' ? title : value };
  });
  return options.every((option) => option !== null) ? options : null;
}

function hasNull(schema: Schema): boolean {
  const members = schema['anyOf'];
  return Array.isArray(members) && members.some((member) => member?.type === 'null');
}

function pick(schema: Schema, keywords: readonly string[]): Record<string, never> {
  const found = keywords.filter((keyword) => schema[keyword] !== undefined);
  // Zod wrote them, so their types are those of the keywords.
  return Object.fromEntries(found.map((keyword) => [keyword, schema[keyword] as never]));
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unfit(name: string, what: string, kind: string): FormSchemaError {
  const remedy =
    REMEDIES[kind] ?? 'use z.string(), z.number(), z.int(), z.boolean(), z.enum or z.array(z.enum)';
  return new FormSchemaError(`field '${name}' of the form is ${what}: ${remedy}`);
}
