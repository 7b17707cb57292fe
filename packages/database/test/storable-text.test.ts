import { expect, it } from '@jest/globals';
import { storableText } from '../src/rows/storable-text.ts';

it('leaves ordinary text alone, up to 4,096 characters', () => {
  for (const text of ['', 'é漢 🚢', 'x'.repeat(4_096)]) expect(storableText(text)).toBe(text);
});

it('cuts longer text and shows that it did', () => {
  expect(storableText('x'.repeat(4_097))).toBe(`${'x'.repeat(4_095)}…`);
});

it('replaces NUL, which Postgres refuses', () => {
  expect(storableText('a\0b\0')).toBe('a\\u0000b\\u0000');
});
