import { describe, expect, it } from '@jest/globals';
import { readCsv } from '../../src/batch-tool/read-csv.ts';
import { readLines } from '../../src/batch-tool/read-lines.ts';

/** A text in pieces of `size` bytes. */
async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe.each([1, 3, 1_000])('in pieces of %i bytes', (size) => {
  it('reads lines of either kind, and characters that lie across pieces', async () => {
    expect(await all(readLines(pieces('eins\r\nzwö\n\nlast', size)))).toEqual([
      'eins',
      'zwö',
      '',
      'last',
    ]);
  });

  it('reads CSV with quotes, commas and lines in quotes, and leaves empty fields out', async () => {
    const text = '\uFEFFpath,note\r\n"a,b.png","says ""hi""\nand goes"\n\nc.png,\n';
    expect(await all(readCsv(pieces(text, size)))).toEqual([
      { path: 'a,b.png', note: 'says "hi"\nand goes' },
      { path: 'c.png' },
    ]);
  });
});

describe('readCsv', () => {
  it.each([
    ['no line', '', 'the file is empty'],
    ['a name twice', 'a,a\n1,2\n', 'comes twice'],
    ['a record of another length', 'a,b\n1,2\n1\n', 'line 3 has 1 fields, the first one 2'],
    [
      'a record of another length, lines after others',
      'a,b\r\n"1\n\n",2\n1,2,3',
      'line 5 has 3 fields',
    ],
    ['an open quote', 'a,b\n1,"2\n3,4\n', 'a quote is never closed'],
    ['a quote in the middle', 'a,b\n1,x"y\n', 'at line 2'],
    ['text behind a quote', 'a,b\n1,"x"y\n', 'at line 2'],
  ])('says what is wrong: %s', async (_what, text, message) => {
    await expect(all(readCsv(pieces(text, 10)))).rejects.toThrow(message);
  });
});

it.each([
  ['x', 'a record has more than 1048576 bytes on line 2'],
  ['x\n', 'a record has more than 1048576 bytes on line'],
])('refuses a record of CSV that does not end: %j', async (text, message) => {
  let read = 0;
  const endless = async function* (): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode('a,b\n1,"');
    for (;;) {
      read += 100_000;
      yield new TextEncoder().encode(text.repeat(100_000 / text.length));
    }
  };
  await expect(all(readCsv(endless()))).rejects.toThrow(message);
  expect(read).toBeLessThan(2 * 1_048_576);
});

it('reads CSV no faster than its records are taken, and leaves the file when nobody takes more', async () => {
  let read = 0;
  let left = false;
  const endless = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield new TextEncoder().encode('a\n');
      for (;;) {
        read += 1;
        yield new TextEncoder().encode('1\n'.repeat(1_000));
      }
    } finally {
      left = true;
    }
  };
  const records = readCsv(endless());
  for (let taken = 0; taken < 10; taken += 1) await records.next();
  expect(read).toBeLessThan(100);
  await records.return(undefined);
  expect(left).toBe(true);
});

it('refuses a line that does not end', async () => {
  const endless = async function* (): AsyncGenerator<Uint8Array> {
    for (;;) yield new Uint8Array(100_000).fill(120);
  };
  await expect(all(readLines(endless()))).rejects.toThrow(
    'line 1 has more than 1048576 characters',
  );
});
