import type { JsonObject, JsonValue } from '@longshore/core';
import { wellFormed } from './well-formed.ts';

/** A value has no faithful JSON form; the message names the place and the reason. */
export class NotJsonError extends Error {
  override readonly name = 'NotJsonError';
}

/** Deeper values are taken for a mistake; also keeps the recursion off the end of the stack. */
const MAX_DEPTH = 200;

/**
 * The JSON form of a value, as `JSON.stringify` would write it (members that are undefined are left
 * out, `toJSON` is honoured), but with an error where that would throw or lose something: undefined,
 * functions, BigInt, NaN, cycles, Map, Set, promises, binary data. Text is made well-formed.
 *
 * @throws {NotJsonError}
 */
export function toJsonValue(value: unknown): JsonValue {
  return convert(value, [], new Set());
}

/** Like `toJsonValue`, for values that must be an object. */
export function toJsonObject(value: unknown): JsonObject {
  const json = toJsonValue(value);
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new NotJsonError(`the value is not an object but ${kindOf(json)}`);
  }
  return json;
}

function convert(
  given: unknown,
  path: readonly (string | number)[],
  ancestors: Set<object>,
): JsonValue {
  const value = hasToJson(given) ? given.toJSON(String(path.at(-1) ?? '')) : given;
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return wellFormed(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new NotJsonError(`${placeOf(path)} is ${value}`);
    return value;
  }
  if (typeof value !== 'object') throw new NotJsonError(`${placeOf(path)} is ${kindOf(value)}`);
  if (ancestors.has(value)) throw new NotJsonError(`${placeOf(path)} refers to itself`);
  if (path.length > MAX_DEPTH) {
    throw new NotJsonError(`the value is nested more than ${MAX_DEPTH} levels deep`);
  }
  ancestors.add(value);
  const json = convertMembers(value, path, ancestors);
  ancestors.delete(value);
  return json;
}

function convertMembers(
  value: object,
  path: readonly (string | number)[],
  ancestors: Set<object>,
): JsonValue {
  if (Array.isArray(value)) {
    return Array.from(value, (element, index) => convert(element, [...path, index], ancestors));
  }
  if (
    value instanceof Map ||
    value instanceof Set ||
    value instanceof Promise ||
    ArrayBuffer.isView(value)
  ) {
    throw new NotJsonError(`${placeOf(path)} is ${kindOf(value)}`);
  }
  // Not a plain assignment: a member named __proto__ must stay a member.
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [wellFormed(key), convert(member, [...path, key], ancestors)]),
  );
}

function hasToJson(value: unknown): value is { toJSON(key: string): unknown } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'toJSON' in value &&
    typeof value.toJSON === 'function'
  );
}

function placeOf(path: readonly (string | number)[]): string {
  if (path.length === 0) return 'the value';
  const text = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  return text.startsWith('.') ? text.slice(1) : text;
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (value === null) return 'null';
  if (typeof value === 'bigint') return 'a BigInt';
  if (typeof value === 'object') {
    const name = value.constructor?.name;
    return name === undefined || name === 'Object' ? 'an object' : `a value of type ${name}`;
  }
  return `a ${typeof value}`;
}
