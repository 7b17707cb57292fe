import { describe, expect, it } from '@jest/globals';
import { defineResource } from '@longshore/plugin';
import { readResource } from '@longshore/plugin/testing';
import { matchUriTemplate } from '@longshore/plugin/uri-template';
import fc from 'fast-check';

describe('matchUriTemplate', () => {
  it.each<[string, string, string[] | null]>([
    ['a://{x}', 'a://1', ['1']],
    ['a://{x}', 'a://', null],
    ['a://{x}', 'b://1', null],
    ['a://{x}', 'a://1/2', null],
    ['a://{x}', 'a://1?q', null],
    ['a://{x}/lines/{n}', 'a://1/lines/2', ['1', '2']],
    ['a://{x}.json', 'a://1.json.json', ['1.json']],
    ['a://{x}.json', 'a://.json', null],
    ['a://{x}-{y}', 'a://1-2-3', ['1-2', '3']],
    ['a://{x}-{y}', 'a://-1', null],
    ['a://(.*)+{x}', 'a://(.*)+1', ['1']],
    ['a://x', 'a://x', null],
  ])('%s and %s: %j', (template, uri, values) => {
    expect(matchUriTemplate(template, uri)).toEqual(values);
  });

  it('says what a regular expression that tries everything says', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '-', '/', '?'), maxLength: 3 });
    const uri = fc.string({ unit: fc.constantFrom('a', '-', '/', '?', 'b'), maxLength: 12 });
    fc.assert(
      fc.property(fc.array(text, { minLength: 2, maxLength: 4 }), uri, (texts, candidate) => {
        const pattern = texts.map((part) => part.replaceAll('?', '\\?')).join('([^/?#]+)');
        const found = new RegExp(`^${pattern}$`).exec(candidate);
        expect(matchUriTemplate(texts.join('{v}'), candidate)).toEqual(found?.slice(1) ?? null);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('a resource with a template', () => {
  it('takes twice the time for twice the URI, also for one made to be slow', async () => {
    const resource = defineResource({ uriTemplate: 'a://{v}.{w}!', name: 'x', read: () => 'x' });
    const bestMs = async (length: number): Promise<number> => {
      const uri = `a://${'.'.repeat(length)}`;
      let best = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 5; round += 1) {
        const began = performance.now();
        expect((await readResource(resource, uri)).contents).toBeNull();
        best = Math.min(best, performance.now() - began);
      }
      return best;
    };
    await bestMs(20_000);
    // A power of it would be four times.
    expect((await bestMs(40_000)) / (await bestMs(20_000))).toBeLessThan(3);
  });
});
