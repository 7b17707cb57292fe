import { describe, expect, it } from '@jest/globals';
import { readLines } from '../../src/stdio/lines.ts';

async function linesOf(chunks: readonly string[], maxBytes = 100): Promise<unknown[]> {
  async function* input(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  const lines: unknown[] = [];
  for await (const line of readLines(input(), maxBytes)) {
    lines.push('tooLong' in line ? { id: line.tooLong.get('id') } : line);
  }
  return lines;
}

describe('readLines', () => {
  it('finds lines wherever the chunks are cut, also within a character', async () => {
    const bytes = Buffer.from('größe\n\nzwei\n');
    const chunks = [...bytes].map((byte) => Buffer.from([byte]));
    async function* input(): AsyncGenerator<Uint8Array> {
      yield* chunks;
    }
    const lines: unknown[] = [];
    for await (const line of readLines(input(), 100)) lines.push(line);
    expect(lines).toEqual([{ text: 'größe' }, { text: '' }, { text: 'zwei' }]);
  });

  it('counts a last line without a newline', async () => {
    expect(await linesOf(['one\ntw', 'o'])).toEqual([{ text: 'one' }, { text: 'two' }]);
  });

  it('keeps a line of the limit and drops one byte more, and goes on', async () => {
    expect(await linesOf(['12345\n123456\n', '{"x":', '0,"i', 'd":7}\nok\n'], 5)).toEqual([
      { text: '12345' },
      { id: null },
      { id: '7' },
      { text: 'ok' },
    ]);
  });
});
