import * as z from 'zod';
import { IDEMPOTENCY_KEY_META } from './meta-keys.ts';

const MAX_CHARS = 256;

/** Control characters and lone surrogates can not be stored, or not told apart. */
const IdempotencyKey = z
  .string({ error: 'must be a string' })
  .min(1, 'must not be empty')
  .max(MAX_CHARS, `must have ${MAX_CHARS} characters at most`)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not have control characters or lone surrogates');

/** The member of a tools/call's `_meta` by which the call is the same one when it is sent again. */
export const IDEMPOTENCY_META = { [IDEMPOTENCY_KEY_META]: IdempotencyKey.optional() } as const;

/** @returns null when the call is one of its own */
export function idempotencyKey(params: {
  readonly _meta?: { readonly [IDEMPOTENCY_KEY_META]?: string | undefined } | undefined;
}): string | null {
  return params._meta?.[IDEMPOTENCY_KEY_META] ?? null;
}
