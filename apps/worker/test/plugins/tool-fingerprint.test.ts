import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@longshore/core';
import { toolFingerprint } from '../../src/plugins/tool-fingerprint.ts';

const input: JsonObject = {
  type: 'object',
  description: 'What to greet.',
  properties: {
    name: { type: 'string', title: 'Name' },
    title: { type: 'string', enum: ['Dr', 'Prof'] },
    at: { type: 'object', default: { title: 'x' } },
  },
  required: ['name'],
};
const change = (properties: JsonObject, more: JsonObject = {}): string =>
  toolFingerprint(
    { ...input, ...more, properties: { ...(input['properties'] as JsonObject), ...properties } },
    null,
  );

describe('the fingerprint of a tool', () => {
  const own = toolFingerprint(input, null);

  it('is the same for what differs in words and order only', () => {
    expect(own).toMatch(/^[0-9a-f]{32}$/);
    expect(toolFingerprint(Object.fromEntries(Object.entries(input).reverse()), null)).toBe(own);
    expect(change({}, { description: 'Whom to greet.', $comment: 'better' })).toBe(own);
    expect(change({ name: { type: 'string', description: 'Whose?', examples: ['Ann'] } })).toBe(
      own,
    );
  });

  it.each<[string, string]>([
    ['a type', change({ name: { type: 'number' } })],
    ['one more argument', change({ description: { type: 'string' } })],
    ['a requirement', change({}, { required: [] })],
    ['a choice', change({ title: { type: 'string', enum: ['Dr'] } })],
    ['a default', change({ at: { type: 'object', default: { title: 'y' } } })],
    ['a result', toolFingerprint(input, { type: 'object' })],
  ])('differs by %s', (_what, other) => {
    expect(other).not.toBe(own);
  });
});
