import { describe, expect, it } from '@jest/globals';
import { NotJsonError, toJsonObject, toJsonValue } from '../../src/json/to-json-value.ts';
import { clipText, wellFormed } from '../../src/json/well-formed.ts';

describe('toJsonValue', () => {
  it('agrees with JSON.stringify on everything JSON can hold', () => {
    const value = {
      text: 'ä',
      numbers: [0, -1.5, 1e300],
      nothing: null,
      left: undefined,
      when: new Date(0),
      deep: { list: [{ yes: true }] },
    };
    expect(toJsonValue(value)).toEqual(JSON.parse(JSON.stringify(value)));
  });

  it.each<[string, unknown, string]>([
    ['undefined', undefined, 'the value is undefined'],
    ['undefined in a list', { rows: [1, undefined] }, 'rows[1] is undefined'],
    ['a BigInt', { total: 1n }, 'total is a BigInt'],
    ['a function', { a: { b: () => 1 } }, 'a.b is a function'],
    ['NaN', [Number.NaN], '[0] is NaN'],
    ['a Map', { m: new Map() }, 'm is a value of type Map'],
    ['a promise', { p: Promise.resolve(1) }, 'p is a value of type Promise'],
    ['bytes', { b: new Uint8Array(2) }, 'b is a value of type Uint8Array'],
  ])('refuses %s and says where it is', (_name, value, message) => {
    expect(() => toJsonValue(value)).toThrow(new NotJsonError(message));
  });

  it('refuses a cycle, but not a value that occurs twice', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = { back: cycle };
    expect(() => toJsonValue(cycle)).toThrow(new NotJsonError('self.back refers to itself'));
    const leaf = { n: 1 };
    expect(toJsonValue({ a: leaf, b: leaf })).toEqual({ a: leaf, b: leaf });
  });

  it('refuses nesting that would end the stack', () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 100_000; depth += 1) value = [value];
    expect(() => toJsonValue(value)).toThrow('the value is nested more than 200 levels deep');
  });

  it('keeps a member named __proto__ a member', () => {
    const json = toJsonObject(JSON.parse('{"__proto__": {"polluted": true}}'));
    expect(Object.hasOwn(json, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(json)).toBe(Object.prototype);
  });

  it('calls toJSON once, so one that returns itself ends', () => {
    const endless = { toJSON: () => endless, n: 1 };
    expect(() => toJsonValue(endless)).toThrow('toJSON is a function');
  });

  it('makes texts and keys well-formed, and keeps NUL', () => {
    expect(toJsonValue({ 'a\0\ud800': ['x\0y'] })).toEqual({ 'a\0\uFFFD': ['x\0y'] });
  });
});

describe('wellFormed', () => {
  it('replaces NUL and lone surrogates, and leaves whole characters alone', () => {
    expect(wellFormed('a\0b \ud83d\ude00 \ud83d \ude00')).toBe('a\0b 😀 \uFFFD \uFFFD');
  });
});

describe('clipText', () => {
  it('cuts at the limit', () => {
    expect(clipText('abcd', 4)).toBe('abcd');
    expect(clipText('abcde', 4)).toBe('abcd');
  });

  it('does not cut a character in two', () => {
    expect(clipText('abc😀', 4)).toBe('abc');
    expect(clipText('abc😀', 5)).toBe('abc😀');
  });
});
