import { describe, expect, it } from '@jest/globals';
import { LongshoreError } from '@longshore/core';
import {
  IDEMPOTENCY_KEY_META,
  idempotencyKey,
  parseLegacyParams,
  parseModernParams,
} from '../src/index.ts';

const read = {
  legacy: (meta: unknown) =>
    idempotencyKey(parseLegacyParams('tools/call', { name: 't', ...(meta as object) })),
  modern: (meta: unknown) =>
    idempotencyKey(parseModernParams('tools/call', { name: 't', ...(meta as object) })),
};

describe.each(['legacy', 'modern'] as const)('the idempotency key of a %s call', (era) => {
  const keyed = (key: unknown) => read[era]({ _meta: { [IDEMPOTENCY_KEY_META]: key } });

  it.each(['k', 'order 17/\u{1F680}', 'x'.repeat(256), '0'])('may be %j', (key) => {
    expect(keyed(key)).toBe(key);
  });

  it.each(['', 'x'.repeat(257), 'a\0', 'a\nb', '\u{D800}', 7, null, {}, ['k']])(
    'is refused: %j',
    (key) => {
      expect(() => keyed(key)).toThrow();
      if (era === 'legacy') return;
      expect(() => keyed(key)).toThrow(LongshoreError);
      expect(() => keyed(key)).toThrow(
        expect.objectContaining({ message: expect.stringContaining(IDEMPOTENCY_KEY_META) }),
      );
    },
  );

  it('is left out by most calls', () => {
    expect(read[era]({})).toBeNull();
    expect(read[era]({ _meta: {} })).toBeNull();
  });
});
