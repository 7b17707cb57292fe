import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readItems } from '../../src/client/read-items.ts';
import { argumentsOf, argumentsOfPairs } from '../../src/client/tool-arguments.ts';

const SCHEMA = {
  properties: { zip: { type: 'string' }, count: { type: 'integer' }, tags: { type: 'array' } },
};
const usage = (message: string) =>
  expect.objectContaining({ exitCode: 2, message: expect.stringContaining(message) });

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'longshore-items-'));
});
afterEach(() => rmSync(dir, { recursive: true }));
const file = (name: string, text: string): string => {
  writeFileSync(path.join(dir, name), text);
  return path.join(dir, name);
};

describe('readItems', () => {
  it('reads a JSON object per line, and names the line that is none', () => {
    expect(readItems(file('a.jsonl', '{"a":1}\n\n{"a":2}\n'), SCHEMA)).toEqual([
      { a: 1 },
      { a: 2 },
    ]);
    expect(() => readItems(file('b.ndjson', '{"a":1}\n{"a":\n'), SCHEMA)).toThrow(
      usage('b.ndjson, line 2: not valid JSON'),
    );
  });

  it('reads CSV by the types of the schema, without empty fields', () => {
    const csv = '\uFEFFzip, count,tags\r\n01234,3,"[""x, y""]"\r\n98765,,\r\n';
    expect(readItems(file('a.csv', csv), SCHEMA)).toEqual([
      { zip: '01234', count: 3, tags: ['x, y'] },
      { zip: '98765' },
    ]);
    expect(() => readItems(file('b.csv', 'a\n"open\n'), SCHEMA)).toThrow(usage('b.csv'));
  });

  it('refuses other files, and such as are not there', () => {
    expect(() => readItems(file('a.txt', ''), SCHEMA)).toThrow(usage('.jsonl, .ndjson or .csv'));
    expect(() => readItems(path.join(dir, 'no.csv'), SCHEMA)).toThrow(usage('can not be read'));
  });
});

describe('arguments', () => {
  it('are text where the schema has text, else JSON where they are', () => {
    expect(argumentsOfPairs(['zip=01', 'count=3', 'tags=["a"]', 'other=x=y'], SCHEMA)).toEqual({
      zip: '01',
      count: 3,
      tags: ['a'],
      other: 'x=y',
    });
    expect(() => argumentsOfPairs(['count'], SCHEMA)).toThrow(
      usage("--arg 'count' is no NAME=VALUE"),
    );
  });

  it('come from a file with one object', () => {
    expect(argumentsOf(file('a.json', '{"a":1}'))).toEqual({ a: 1 });
    expect(() => argumentsOf(file('b.json', '[1]'))).toThrow(usage('are a JSON object'));
    expect(() => argumentsOf(file('c.json', '{'))).toThrow(usage('not valid JSON'));
  });
});
