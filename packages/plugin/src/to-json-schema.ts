import * as z from 'zod';
import { PluginDefinitionError } from './checks/definition-checks.ts';
import { explainMisfit, type Io, isSilentMisfit } from './schema-misfits.ts';

/** A JSON Schema document with an object at its root. */
export type JsonSchemaObject = { readonly type: 'object' } & { readonly [key: string]: unknown };

/**
 * The JSON Schema 2020-12 of arguments (as sent, before defaults and transforms) or of a result (as
 * answered, after them).
 *
 * @param label whose it is, such as `tool 'resize'`
 * @throws {PluginDefinitionError} not a schema of this zod, not writable as JSON Schema, not an object
 */
export function toJsonSchema(
  label: string,
  field: string,
  schema: z.ZodType,
  io: Io,
): JsonSchemaObject {
  const remedy = `write ${field}: z.object({ ... }) with z from '@longshore/plugin'`;
  if (!(schema instanceof z.ZodType)) {
    const given: unknown = schema;
    const foreign =
      typeof given === 'object' && given !== null && ('_def' in given || '_zod' in given);
    throw new PluginDefinitionError(
      foreign
        ? `${label}: ${field} was made by another zod than ours; ${remedy}`
        : `${label}: ${field} is no zod schema; ${remedy}`,
    );
  }
  const json = convert(label, field, schema, io);
  if (json['type'] !== 'object') {
    throw new PluginDefinitionError(`${label}: ${field} must be an object schema; ${remedy}`);
  }
  return { ...json, type: 'object' };
}

function convert(label: string, field: string, schema: z.ZodType, io: Io): Record<string, unknown> {
  const misfits = new Set<string>();
  let json: Record<string, unknown> = {};
  let cause: unknown;
  try {
    json = z.toJSONSchema(schema, {
      target: 'draft-2020-12',
      io,
      unrepresentable: ({ zodSchema, path, message }) => {
        misfits.add(explainMisfit(field, path, zodSchema._zod.def.type, io, message));
        return 'any';
      },
      // What zod writes as JSON Schema although JSON has no such value.
      override: ({ zodSchema, path }) => {
        const { type } = zodSchema._zod.def;
        if (isSilentMisfit(type)) misfits.add(explainMisfit(field, path, type, io, ''));
      },
    });
  } catch (error) {
    cause = error;
    misfits.add(error instanceof Error ? error.message : String(error));
  }
  if (misfits.size === 0) return json;
  throw new PluginDefinitionError(
    `${label}: ${field} can not be written as JSON Schema (${[...misfits].join('; ')}); use plain zod types such as z.string() and z.object()`,
    { cause },
  );
}
