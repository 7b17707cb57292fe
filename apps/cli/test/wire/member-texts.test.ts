import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MemberTexts } from '../../src/wire/member-texts.ts';

function membersOf(json: string, cut = json.length): MemberTexts {
  const bytes = Buffer.from(json);
  const members = new MemberTexts();
  for (let at = 0; at < bytes.length; at += cut) members.push(bytes.subarray(at, at + cut));
  return members;
}

describe('MemberTexts', () => {
  it('finds what JSON.parse finds, however the object is written and cut', () => {
    const names = fc.oneof(fc.constantFrom('id', 'method', 'a"b', 'a:b', 'ä', ''), fc.string());
    const object = fc.dictionary(names, fc.jsonValue({ maxDepth: 3 }), { noNullPrototype: true });
    fc.assert(
      fc.property(object, fc.nat(3), fc.integer({ min: 1, max: 9 }), (value, indent, cut) => {
        const members = membersOf(JSON.stringify(value, null, indent), cut);
        for (const name of [...Object.keys(value), 'missing']) {
          const expected = Object.hasOwn(value, name) ? JSON.stringify(value[name]) : null;
          const text = members.get(name);
          expect(text === null ? null : JSON.stringify(JSON.parse(text))).toBe(expected);
        }
      }),
    );
  });

  it.each([
    ['as it is written', '{"id": 9007199254740993.0 }', '9007199254740993.0'],
    ['after others, and not within them', '{"params":{"id":1},"x":[{"id":2}],"id":3}', '3'],
    ['not in a text', '{"x":"\\",\\"id\\":1","id":"2"}', '"2"'],
    ['the last of two', '{"id":1,"id":2}', '2'],
    ['with its name escaped', '{"\\u0069d":1}', '1'],
    ['before the object has ended', '{"id":1,"params":', '1'],
  ])('finds a member %s', (_how, json, text) => {
    expect(membersOf(json).get('id')).toBe(text);
  });

  it.each(['', 'id', '"id"', '[1]', '{"id"', '{"id":', '}}}', `{"id":"${'x'.repeat(70_000)}"}`])(
    'finds nothing in %.20s',
    (json) => {
      expect(membersOf(json).get('id')).toBeNull();
    },
  );
});
