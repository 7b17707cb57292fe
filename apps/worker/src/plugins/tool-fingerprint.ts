import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '@longshore/core';

/** Words for people: a tool that only says them differently is the same. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  '$comment',
  'deprecated',
  'description',
  'examples',
  'title',
]);

/** Keywords whose members are names of the author's, not keywords. */
const NAMES: ReadonlySet<string> = new Set([
  '$defs',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** Keywords whose values are data, not schemas. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum']);

/** What is around a value: a schema, an object of named schemas, or data. */
type Place = 'schema' | 'names' | 'data';

/**
 * The same for two versions of a tool that take the same arguments and give the same results, whatever they
 * say to people and in whatever order: 32 hexadecimal digits.
 */
export function toolFingerprint(inputSchema: JsonObject, outputSchema: JsonObject | null): string {
  const text = JSON.stringify([
    essence(inputSchema, 'schema'),
    outputSchema === null ? null : essence(outputSchema, 'schema'),
  ]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** With sorted members and without annotations. */
function essence(value: JsonValue, place: Place): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => essence(element, place));
  const kept = Object.keys(value).filter((key) => place !== 'schema' || !ANNOTATIONS.has(key));
  // As pairs: an object would put members that look like numbers first.
  return kept.sort().map((key) => [key, essence(value[key] ?? null, inside(key, place))]);
}

function inside(key: string, place: Place): Place {
  if (place === 'names') return 'schema';
  if (place === 'data' || DATA.has(key)) return 'data';
  return NAMES.has(key) ? 'names' : 'schema';
}
