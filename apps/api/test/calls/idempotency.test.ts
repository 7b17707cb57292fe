import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@longshore/core';
import fc from 'fast-check';
import { idempotencyOf } from '../../src/calls/idempotency.ts';

const hashOf = (args: JsonObject): string | undefined => idempotencyOf('k', args)?.argumentsHash;

describe('the digest of arguments', () => {
  it('does not depend on the order of members, at any depth', () => {
    const left = { b: [{ y: 1, x: 2 }], a: { d: null, c: 'x' } };
    const right = { a: { c: 'x', d: null }, b: [{ x: 2, y: 1 }] };
    expect(hashOf(left)).toBe(hashOf(right));
  });

  it('is another one for any other value', () => {
    const document = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 });
    fc.assert(
      fc.property(document, document, (left, right) => {
        const parse = (value: unknown) => JSON.parse(JSON.stringify(value)) as JsonObject;
        const [a, b] = [parse(left), parse(right)];
        let isSame = true;
        try {
          expect(a).toEqual(b);
        } catch {
          isSame = false;
        }
        expect(hashOf(a) === hashOf(b)).toBe(isSame);
      }),
    );
  });

  it.each<[JsonObject, JsonObject]>([
    [{ a: 1 }, { a: '1' }],
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: null }, {}],
    [JSON.parse('{"__proto__": {"a": 1}}') as JsonObject, {}],
  ])('tells %j from %j', (left, right) => {
    expect(hashOf(left)).not.toBe(hashOf(right));
  });
});

it('is nothing for a call without a key', () => {
  expect(idempotencyOf(null, {})).toBeUndefined();
});
