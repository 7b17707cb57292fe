import { createHash } from 'node:crypto';
import type { Idempotency, JsonObject, JsonValue } from '@longshore/core';

/**
 * @param key null: the call is one of its own
 * @returns what makes another call the same one: key and arguments
 */
export function idempotencyOf(key: string | null, args: JsonObject): Idempotency | undefined {
  if (key === null) return undefined;
  const argumentsHash = createHash('sha256').update(canonicalJson(args)).digest('base64url');
  return { key, argumentsHash };
}

/** JSON in which the members of all objects are in the order of their names: the same for the same value. */
export function canonicalJson(value: JsonValue): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}
