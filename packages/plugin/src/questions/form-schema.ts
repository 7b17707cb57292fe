import * as z from 'zod';

/** A form that MCP clients can not show; the message says what to write instead. */
export class FormSchemaError extends Error {
  override readonly name = 'FormSchemaError';
}

interface Labelled {
  readonly title?: string;
  readonly description?: string;
}

interface TitledOption {
  readonly const: string;
  readonly title: string;
}

/** One field of a form (2025-11-25 schema, PrimitiveSchemaDefinition). */
export type FormField = Labelled &
  (
    | {
        readonly type: 'string';
        readonly minLength?: number;
        readonly maxLength?: number;
        readonly format?: 'email' | 'uri' | 'date' | 'date-time';
        readonly default?: string;
      }
    | {
        readonly type: 'string';
        readonly enum: readonly string[];
        /** Titles by place, as older clients know them. */
        readonly enumNames?: readonly string[];
        readonly default?: string;
      }
    | {
        readonly type: 'string';
        readonly oneOf: readonly TitledOption[];
        readonly default?: string;
      }
    | {
        readonly type: 'number' | 'integer';
        readonly minimum?: number;
        readonly maximum?: number;
        readonly default?: number;
      }
    | { readonly type: 'boolean'; readonly default?: boolean }
    | {
        readonly type: 'array';
        readonly items:
          | { readonly type: 'string'; readonly enum: readonly string[] }
          | { readonly anyOf: readonly TitledOption[] };
        readonly minItems?: number;
        readonly maxItems?: number;
        readonly default?: readonly string[];
      }
  );

/** MCP's restricted JSON Schema of forms: a flat object of texts, numbers, booleans and choices. */
export interface FormSchema {
  readonly type: 'object';
  readonly properties: { readonly [name: string]: FormField };
  readonly required?: readonly string[];
}

/** What a user fills into a form that is written as JSON Schema. */
export type FormContent = Readonly<Record<string, string | number | boolean | readonly string[]>>;

const labels = { title: z.string().optional(), description: z.string().optional() };
const length = z.int().min(0).optional();
const options = z.array(z.strictObject({ const: z.string(), title: z.string() })).min(1);
const names = z.array(z.string()).min(1);
const text = z.string().optional();

const Field = z.union([
  z.strictObject({
    ...labels,
    type: z.literal('string'),
    minLength: length,
    maxLength: length,
    format: z.enum(['email', 'uri', 'date', 'date-time']).optional(),
    default: text,
  }),
  z.strictObject({
    ...labels,
    type: z.literal('string'),
    enum: names,
    enumNames: names.optional(),
    default: text,
  }),
  z.strictObject({ ...labels, type: z.literal('string'), oneOf: options, default: text }),
  z.strictObject({
    ...labels,
    type: z.enum(['number', 'integer']),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    default: z.number().optional(),
  }),
  z.strictObject({ ...labels, type: z.literal('boolean'), default: z.boolean().optional() }),
  z.strictObject({
    ...labels,
    type: z.literal('array'),
    items: z.union([
      z.strictObject({ type: z.literal('string'), enum: names }),
      z.strictObject({ anyOf: options }),
    ]),
    minItems: length,
    maxItems: length,
    default: z.array(z.string()).optional(),
  }),
]);

const Form = z.strictObject({
  $schema: z.string().optional(),
  type: z.literal('object'),
  properties: z.record(z.string(), z.unknown()),
  required: z.array(z.string()).optional(),
});

const REMEDY =
  "fields are { type: 'string' | 'number' | 'integer' | 'boolean' }, choices { type: 'string', enum | oneOf } or { type: 'array', items: { enum | anyOf } }, without pattern or nesting";

/**
 * Checks a form that an author wrote as JSON Schema.
 *
 * @throws {FormSchemaError} naming the field
 */
export function checkFormSchema(schema: unknown): FormSchema {
  const form = Form.safeParse(schema);
  if (!form.success) {
    throw new FormSchemaError(
      `a form is z.object({ ... }) or { type: 'object', properties: { ... }, required: [ ... ] }: ${z.prettifyError(form.error)}`,
    );
  }
  for (const [name, field] of Object.entries(form.data.properties)) {
    if (!Field.safeParse(field).success) {
      throw new FormSchemaError(`field '${name}' is none that MCP forms have: ${REMEDY}`);
    }
  }
  for (const name of form.data.required ?? []) {
    if (!Object.hasOwn(form.data.properties, name)) {
      throw new FormSchemaError(`the required field '${name}' is not among the properties`);
    }
  }
  return schema as FormSchema;
}
