import * as z from 'zod';
import { PluginDefinitionError } from './plugin-definition-error.ts';

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
  io: 'input' | 'output',
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
  let json: Record<string, unknown>;
  try {
    json = z.toJSONSchema(schema, { target: 'draft-2020-12', io });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PluginDefinitionError(
      `${label}: ${field} can not be written as JSON Schema (${reason}); use plain zod types such as z.string() and z.object()`,
      { cause },
    );
  }
  if (json['type'] !== 'object') {
    throw new PluginDefinitionError(`${label}: ${field} must be an object schema; ${remedy}`);
  }
  return { ...json, type: 'object' };
}
