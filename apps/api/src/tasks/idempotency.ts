import { createHash } from 'node:crypto';
import type { Idempotency, JsonObject } from '@longshore/core';
import { canonicalJson } from './canonical-json.ts';

/**
 * @param key null: the call is one of its own
 * @returns what makes another call the same one: key and arguments
 */
export function idempotencyOf(key: string | null, args: JsonObject): Idempotency | undefined {
  if (key === null) return undefined;
  const argumentsHash = createHash('sha256').update(canonicalJson(args)).digest('base64url');
  return { key, argumentsHash };
}
