import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@longshore/core';
import { checkParamHeaders } from '../src/modern/param-headers.ts';
import { type HeaderSet, sentinel } from './support/modern-post.ts';
import { refusal } from './support/wire-error.ts';

const schema: JsonObject = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    limit: { type: 'integer', 'x-mcp-header': 'Limit' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' },
    options: {
      type: 'object',
      properties: { tenant: { type: 'string', 'x-mcp-header': 'Tenant' } },
    },
    query: { type: 'string' },
  },
};
const check = (args: JsonObject, headers: HeaderSet, inputSchema = schema) =>
  refusal(() => checkParamHeaders(inputSchema, args, headers));

describe('checkParamHeaders', () => {
  it.each<[string, JsonObject, HeaderSet]>([
    ['no annotated argument at all', { query: 'q' }, {}],
    ['a null argument', { region: null }, {}],
    ['a plain value', { region: 'eu' }, { 'mcp-param-region': 'eu' }],
    ['a header name in another case', { region: 'eu' }, { 'MCP-PARAM-Region': 'eu' }],
    ['white space around the value', { region: 'eu' }, { 'mcp-param-region': ' eu\t' }],
    ['an empty string', { region: '' }, { 'mcp-param-region': '' }],
    ['Base64', { region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG8=?=' }],
    ['Base64 of other letters', { region: '世界' }, { 'mcp-param-region': sentinel('世界') }],
    ['Base64 of white space', { region: ' eu ' }, { 'mcp-param-region': sentinel(' eu ') }],
    [
      'Base64 of a byte order mark',
      { region: '\ufeffeu' },
      { 'mcp-param-region': sentinel('\ufeffeu') },
    ],
    ['text without the markers', { region: 'SGVsbG8=' }, { 'mcp-param-region': 'SGVsbG8=' }],
    [
      'text with one marker',
      { region: '=?base64?SGVsbG8=' },
      { 'mcp-param-region': '=?base64?SGVsbG8=' },
    ],
    ['an integer', { limit: 42 }, { 'mcp-param-limit': '42' }],
    ['an integer with a fraction of nothing', { limit: 42 }, { 'mcp-param-limit': '42.0' }],
    ['a negative integer', { limit: -7 }, { 'mcp-param-limit': '-7' }],
    ['zero', { limit: 0 }, { 'mcp-param-limit': '0' }],
    ['the largest safe integer', { limit: 2 ** 53 - 1 }, { 'mcp-param-limit': '9007199254740991' }],
    ['false', { dry: false }, { 'mcp-param-dry-run': 'false' }],
    ['a nested argument', { options: { tenant: 'a' } }, { 'mcp-param-tenant': 'a' }],
    ['headers of nobody', {}, { 'mcp-param-other': '\u0001' }],
    // The tool's schema refuses these with a message that the model can use.
    ['an argument of a type that has no header', { region: ['eu'] }, {}],
    ['a fraction for an integer', { limit: 1.5 }, { 'mcp-param-limit': '1.5' }],
  ])('accepts %s', (_what, args, headers) => {
    expect(check(args, headers)).toBeNull();
  });

  it.each<[string, JsonObject, HeaderSet]>([
    ['a missing header', { region: 'eu' }, {}],
    ['a missing header of an empty string', { region: '' }, {}],
    ['a missing header of false', { dry: false }, {}],
    ['a missing header of zero', { limit: 0 }, {}],
    ['a missing header of a nested argument', { options: { tenant: 'a' } }, {}],
    ['another value', { region: 'eu' }, { 'mcp-param-region': 'us' }],
    ['a value in another case', { region: 'eu' }, { 'mcp-param-region': 'EU' }],
    ['Base64 of another value', { region: 'eu' }, { 'mcp-param-region': sentinel('us') }],
    ['Base64 without padding', { region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG8?=' }],
    [
      'Base64 with other letters',
      { region: 'Hello' },
      { 'mcp-param-region': '=?base64?SGVs!!!bG8=?=' },
    ],
    ['Base64 in the URL alphabet', { region: '???' }, { 'mcp-param-region': '=?base64?Pz8_?=' }],
    ['Base64 of no text', { region: '\ufffd' }, { 'mcp-param-region': '=?base64?/w==?=' }],
    ['a control character', { region: 'a\u0007' }, { 'mcp-param-region': 'a\u0007' }],
    ['characters beyond ASCII', { region: 'é' }, { 'mcp-param-region': 'é' }],
    ['another integer', { limit: 42 }, { 'mcp-param-limit': '43' }],
    ['an integer with a fraction', { limit: 42 }, { 'mcp-param-limit': '42.00000000000000000001' }],
    ['an integer in another notation', { limit: 42 }, { 'mcp-param-limit': '4.2e1' }],
    ['an integer in hexadecimal', { limit: 42 }, { 'mcp-param-limit': '0x2a' }],
    ['an empty integer', { limit: 0 }, { 'mcp-param-limit': '' }],
    [
      'an integer beyond the safe range',
      { limit: 2 ** 53 },
      { 'mcp-param-limit': '9007199254740993' },
    ],
    ['a boolean in another case', { dry: true }, { 'mcp-param-dry-run': 'True' }],
    ['a header of an absent argument', {}, { 'mcp-param-region': 'eu' }],
    ['a header of a null argument', { region: null }, { 'mcp-param-region': 'null' }],
    ['a header of an object', { region: {} }, { 'mcp-param-region': '[object Object]' }],
  ])('refuses %s', (_what, args, headers) => {
    expect(check(args, headers)).toMatchObject({ code: 'HEADER_MISMATCH', rpc: -32020, http: 400 });
  });

  it('names the header, and neither the value it has nor the one it should have', () => {
    const run = () => checkParamHeaders(schema, { region: 'a' }, { 'mcp-param-region': 'b' });
    expect(run).toThrow('Header mismatch: Mcp-Param-Region does not match the arguments');
    expect(refusal(run)?.details).toEqual({ header: 'Mcp-Param-Region' });
  });

  it.each<[string, JsonObject]>([
    ['under items', { properties: { a: { items: { properties: { b: annotated('B') } } } } }],
    ['under anyOf', { anyOf: [{ properties: { a: annotated('A') } }] }],
    ['under $defs', { $defs: { properties: { a: annotated('A') } } }],
    ['at the root', { 'x-mcp-header': 'Root' }],
    ['with an empty name', { properties: { a: annotated('') } }],
    ['with a name that is no token', { properties: { a: annotated('a b') } }],
    ['with a name that is no string', { properties: { a: { 'x-mcp-header': 1 } } }],
  ])('takes no notice of an annotation %s', (_what, inputSchema) => {
    const headers = { 'mcp-param-a': 'y', 'mcp-param-b': 'y', 'mcp-param-root': 'y' };
    expect(check({ a: 'x' }, {}, inputSchema)).toBeNull();
    expect(check({ a: 'x' }, headers, inputSchema)).toBeNull();
  });

  it('takes no argument from a prototype', () => {
    const inputSchema = { properties: { constructor: annotated('Ctor') } };
    expect(check({}, {}, inputSchema)).toBeNull();
  });
});

function annotated(name: string): JsonObject {
  return { type: 'string', 'x-mcp-header': name };
}
