import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type JsonShape, measureJson } from '../../src/edge/json-shape.ts';

/** The same of what was parsed. */
function shapeOf(parsed: unknown): JsonShape {
  const names = new Set<string>();
  const measured = (value: unknown): Omit<JsonShape, 'names'> => {
    if (typeof value !== 'object' || value === null) return { levels: 0, values: 0 };
    if (!Array.isArray(value)) for (const name of Object.keys(value)) names.add(name);
    const inside = Object.values(value).map(measured);
    return {
      levels: 1 + Math.max(0, ...inside.map(({ levels }) => levels)),
      values: inside.reduce((total, shape) => total + shape.values, Math.max(1, inside.length)),
    };
  };
  return { ...measured(parsed), names: names.size };
}

describe('the shape of a JSON text', () => {
  it('is that of what it is parsed to', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 6, stringUnit: 'binary' }),
        fc.boolean(),
        (text, isSpaced) => {
          const bytes = Buffer.from(isSpaced ? JSON.stringify(JSON.parse(text), null, 2) : text);
          expect(measureJson(bytes, 1_000)).toEqual(shapeOf(JSON.parse(text)));
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each(['["\\"]", "\\\\", "\\\\\\"[{:,"]', '{"a\\"b":{"[":[","]}}', '"[[["', '7'])(
    'is not that of what is in its strings: %s',
    (text) => {
      expect(measureJson(Buffer.from(text), 1_000)).toEqual(shapeOf(JSON.parse(text)));
    },
  );

  it.each(['"', '"\\', '[[[', ']]]', '{"a', ''])('is something for what is no JSON: %s', (text) => {
    expect(measureJson(Buffer.from(text), 1_000).levels).toBeLessThanOrEqual(text.length);
  });

  it('counts a name once, whatever has it, and no more names than it is asked for', () => {
    const rows = Buffer.from(
      JSON.stringify(Array.from({ length: 50 }, (_, id) => ({ id, a: { id } }))),
    );
    expect(measureJson(rows, 10).names).toBe(2);
    const wide = Buffer.from(JSON.stringify(Array.from({ length: 50 }, (_, id) => ({ [id]: id }))));
    expect(measureJson(wide, 10).names).toBe(11);
  });
});
