import { describe, expect, it } from '@jest/globals';
import { ToolError } from '@longshore/plugin';
import fc from 'fast-check';
import { CharacterChunker, type Chunk, type Chunker, LineChunker } from '../src/chunkers.ts';
import { LONGEST_LINE } from '../src/line-splitter.ts';

function chunk(chunker: Chunker, ...parts: readonly string[]): Chunk[] {
  return [...parts.flatMap((part) => chunker.push(part)), ...chunker.end()];
}

const texts = fc
  .array(fc.constantFrom('word', ' ', '\n', '\r\n', 'é', '🚢', '  ', 'longer-word'), {
    maxLength: 80,
  })
  .map((pieces) => pieces.join(''));

const cutAt = (text: string, at: number) => {
  const points = [...text];
  return [points.slice(0, at).join(''), points.slice(at).join('')];
};

describe('CharacterChunker', () => {
  it('ends chunks at spaces', () => {
    const chunks = chunk(
      new CharacterChunker({ size: 10, overlap: 0 }, true),
      'the quick brown fox',
    );
    expect(chunks.map(({ text }) => text)).toEqual(['the quick ', 'brown fox']);
  });

  it('cuts a word that is longer than half a chunk, or any when words do not matter', () => {
    const long = chunk(new CharacterChunker({ size: 4, overlap: 0 }, true), 'abcdefgh ij');
    expect(long.map(({ text }) => text)).toEqual(['abcd', 'efgh', ' ij']);
    const any = chunk(new CharacterChunker({ size: 4, overlap: 0 }, false), 'the quick');
    expect(any.map(({ text }) => text)).toEqual(['the ', 'quic', 'k']);
  });

  it('repeats whole words as overlap', () => {
    const chunks = chunk(
      new CharacterChunker({ size: 12, overlap: 5 }, true),
      'one two three four five',
    );
    expect(chunks.map(({ text }) => text)).toEqual(['one two ', 'two three ', 'four five']);
  });

  it('says where each chunk is', () => {
    const chunks = chunk(new CharacterChunker({ size: 4, overlap: 0 }, false), 'a\nb🚢\nc');
    expect(chunks).toEqual([
      { index: 0, start_line: 1, start: 0, end: 4, text: 'a\nb🚢' },
      { index: 1, start_line: 2, start: 4, end: 6, text: '\nc' },
    ]);
  });

  it('gives back the text when chunks do not overlap, and never a chunk over size', () => {
    fc.assert(
      fc.property(
        texts,
        fc.integer({ min: 1, max: 30 }),
        fc.boolean(),
        fc.nat(100),
        (text, size, words, at) => {
          const chunks = chunk(
            new CharacterChunker({ size, overlap: 0 }, words),
            ...cutAt(text, at),
          );
          expect(chunks.map((each) => each.text).join('')).toBe(text);
          for (const each of chunks) expect([...each.text].length).toBeLessThanOrEqual(size);
          expect(chunks).toEqual(chunk(new CharacterChunker({ size, overlap: 0 }, words), text));
        },
      ),
    );
  });

  it('has every position right, with any overlap', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 30 }), fc.nat(15), (text, size, wish) => {
        const overlap = Math.min(wish, Math.floor(size / 2));
        const points = [...text];
        let reached = 0;
        for (const each of chunk(new CharacterChunker({ size, overlap }, true), text)) {
          expect(each.text).toBe(points.slice(each.start, each.end).join(''));
          expect(each.start_line).toBe(points.slice(0, each.start).join('').split('\n').length);
          expect(each.start).toBeLessThanOrEqual(reached);
          expect(reached - each.start).toBeLessThanOrEqual(overlap);
          expect(each.end).toBeGreaterThan(reached);
          reached = each.end;
        }
        expect(reached).toBe(points.length);
      }),
    );
  });
});

describe('LineChunker', () => {
  it('takes whole lines and repeats the overlap', () => {
    const chunks = chunk(new LineChunker({ size: 2, overlap: 1 }, 'x'), 'a\nb\r\nc\nd');
    expect(chunks).toEqual([
      { index: 0, start_line: 1, start: 0, end: 5, text: 'a\nb\r\n' },
      { index: 1, start_line: 2, start: 2, end: 7, text: 'b\r\nc\n' },
      { index: 2, start_line: 3, start: 5, end: 8, text: 'c\nd' },
    ]);
  });

  it('gives back the text when chunks do not overlap', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 5 }), fc.nat(100), (text, size, at) => {
        const chunks = chunk(new LineChunker({ size, overlap: 0 }, 'x'), ...cutAt(text, at));
        expect(chunks.map((each) => each.text).join('')).toBe(text);
      }),
    );
  });

  it('refuses a line without end', () => {
    const chunker = new LineChunker({ size: 1, overlap: 0 }, 'min.js');
    expect(chunker.push('x'.repeat(LONGEST_LINE))).toEqual([]);
    expect(() => chunker.push('x')).toThrow(
      new ToolError('line 1 of min.js has more than 1000000 characters'),
    );
  });
});
