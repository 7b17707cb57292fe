import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { WordSplitter, WordTally } from '../src/word-tally.ts';

function words(...parts: readonly string[]): string[] {
  const found: string[] = [];
  const splitter = new WordSplitter((word) => found.push(word));
  for (const part of parts) splitter.push(part);
  splitter.end();
  return found;
}

describe('WordSplitter', () => {
  it.each<[string, string[]]>([
    ["Don't stop, it's 9 o'clock!", ["don't", 'stop', "it's", '9', "o'clock"]],
    ['Île-de-France – naïve café', ['île-de-france', 'naïve', 'café']],
    ['a--b -c- d’e', ['a', 'b', 'c', 'd’e']],
    ['snake_case 3.14 x²', ['snake', 'case', '3', '14', 'x²']],
    ['Καλημέρα κόσμε', ['καλημέρα', 'κόσμε']],
    ['नमस्ते दुनिया', ['नमस्ते', 'दुनिया']],
    ['… !?', []],
  ])('finds the words of %j', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  it('counts a composed and a decomposed letter as the same', () => {
    expect(words('cafe\u0301 caf\u00e9')).toEqual(['caf\u00e9', 'caf\u00e9']);
  });

  it('finds the same words wherever the text is cut', () => {
    const piece = fc.constantFrom('ship', ' ', "'", '-', 'é', 'e\u0301', '\n', ', ', '𝒳', '7');
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat(60)), (pieces, cuts) => {
        const text = pieces.join('');
        const points = [...text];
        const places = [...new Set(cuts)].sort((a, b) => a - b);
        const parts = [...places, points.length].map((end, index) =>
          points.slice(index === 0 ? 0 : places[index - 1], end).join(''),
        );
        expect(words(...parts)).toEqual(words(text));
      }),
    );
  });

  it('cuts a word without end, so that it can not fill the memory', () => {
    const found = words(...Array.from({ length: 100 }, () => 'x'.repeat(10_000)));
    expect(found.length).toBeGreaterThan(1);
    expect(Math.max(...found.map((word) => word.length))).toBe(256);
  });
});

describe('WordTally', () => {
  it('names the most frequent words, ties in alphabetical order', () => {
    const tally = new WordTally(10);
    for (const word of ['b', 'a', 'c', 'c', 'b', 'd']) tally.add(word);
    expect(tally.top(3)).toEqual([
      { word: 'b', count: 2 },
      { word: 'c', count: 2 },
      { word: 'a', count: 1 },
    ]);
    expect(tally).toMatchObject({ exact: true, distinct: 4 });
  });

  it('forgets the rarest words when there are too many, and says so', () => {
    const tally = new WordTally(4);
    for (const word of ['a', 'a', 'b', 'b', 'c', 'd', 'e']) tally.add(word);
    expect(tally.exact).toBe(false);
    expect(tally.distinct).toBeLessThanOrEqual(4);
    expect(tally.top(2)).toEqual([
      { word: 'a', count: 2 },
      { word: 'b', count: 2 },
    ]);
  });

  it('is no longer exact when it takes over a tally that is not', () => {
    const tally = new WordTally(4);
    tally.addAll({ counts: [['a', 3]], exact: false });
    expect(tally.top(1)).toEqual([{ word: 'a', count: 3 }]);
    expect(tally.exact).toBe(false);
  });
});
