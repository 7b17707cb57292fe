import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { matchesTemplate } from '../../src/catalogue/template-match.ts';

describe('matchesTemplate', () => {
  it.each([
    ['a://{x}', 'a://1', true],
    ['a://{x}', 'a://', false],
    ['a://{x}', 'b://1', false],
    ['a://{x}', 'a://1/2', false],
    ['a://{x}', 'a://1?q', false],
    ['a://{x}/lines/{n}', 'a://1/lines/2', true],
    ['a://{x}.json', 'a://1.json.json', true],
    ['a://{x}.json', 'a://.json', false],
    ['a://{x}-{y}', 'a://1-2-3', true],
    ['a://{x}-{y}', 'a://-1', false],
    ['a://(.*)+{x}', 'a://(.*)+1', true],
  ])('%s and %s: %p', (template, uri, matches) => {
    expect(matchesTemplate(template, uri)).toBe(matches);
  });

  it('says what a regular expression that tries everything says', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '-', '/', '?'), maxLength: 3 });
    const uri = fc.string({ unit: fc.constantFrom('a', '-', '/', '?', 'b'), maxLength: 12 });
    fc.assert(
      fc.property(fc.array(text, { minLength: 2, maxLength: 4 }), uri, (texts, candidate) => {
        const pattern = texts.map((part) => part.replaceAll('?', '\\?')).join('([^/?#]+)');
        expect(matchesTemplate(texts.join('{v}'), candidate)).toBe(
          new RegExp(`^${pattern}$`).test(candidate),
        );
      }),
      { numRuns: 5_000 },
    );
  });

  it('takes no longer for a URI made to be slow', () => {
    const began = performance.now();
    expect(matchesTemplate('a://{v}.{w}.{x}.{y}.{z}!', `a://${'.'.repeat(100_000)}`)).toBe(false);
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
