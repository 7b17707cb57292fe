import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodedHeaderValue, encodedHeaderValue } from '../src/modern/header-values.ts';

describe('encodedHeaderValue', () => {
  it('gives what decodes to the same text, and what a header can carry', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const value = encodedHeaderValue(text);
        expect(value).toMatch(/^[\t\x20-\x7e]+$/);
        expect(decodedHeaderValue({ 'mcp-name': value }, 'Mcp-Name')).toBe(text);
      }),
    );
  });

  it.each(['', ' a', 'b ', 'tab\t', 'größe', 'line\nbreak', '=?base64?YQ==?='])(
    'encodes %j',
    (text) => {
      const value = encodedHeaderValue(text);
      expect(value).toMatch(/^=\?base64\?.*\?=$/);
      expect(decodedHeaderValue({ 'mcp-name': value }, 'Mcp-Name')).toBe(text);
    },
  );

  it('leaves plain text readable', () => {
    expect(encodedHeaderValue('tools/call')).toBe('tools/call');
  });
});
