import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type JsonShape, measureJson } from '../../src/http/json-shape.ts';

/** The same of what was parsed. */
function shapeOf(value: unknown): JsonShape {
  if (typeof value !== 'object' || value === null) return { levels: 0, members: 0, values: 0 };
  const inside = Object.values(value).map(shapeOf);
  const sum = (of: 'members' | 'values') => inside.reduce((total, shape) => total + shape[of], 0);
  return {
    levels: 1 + Math.max(0, ...inside.map(({ levels }) => levels)),
    members: sum('members') + (Array.isArray(value) ? 0 : inside.length),
    values: sum('values') + Math.max(1, inside.length),
  };
}

describe('the shape of a JSON text', () => {
  it('is that of what it is parsed to', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 6, stringUnit: 'binary' }),
        fc.boolean(),
        (text, isSpaced) => {
          const bytes = Buffer.from(isSpaced ? JSON.stringify(JSON.parse(text), null, 2) : text);
          expect(measureJson(bytes)).toEqual(shapeOf(JSON.parse(text)));
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each(['["\\"]", "\\\\", "\\\\\\"[{:,"]', '{"a\\"b":{"[":[","]}}', '"[[["', '7'])(
    'is not that of what is in its strings: %s',
    (text) => {
      expect(measureJson(Buffer.from(text))).toEqual(shapeOf(JSON.parse(text)));
    },
  );

  it.each(['"', '"\\', '[[[', ']]]', '{"a', ''])('is something for what is no JSON: %s', (text) => {
    expect(measureJson(Buffer.from(text)).levels).toBeLessThanOrEqual(text.length);
  });
});
