import { describe, expect, it } from '@jest/globals';
import { type JsonObject, type Outcome, toolErrorOutcome } from '@longshore/core';
import fc from 'fast-check';
import { preview } from '../../src/results/preview.ts';
import { sizedOutcome } from '../../src/results/sized-outcome.ts';
import { withFileLinks } from '../../src/results/with-file-links.ts';

const INLINE = 8_000;
const TASK = '00000000-0000-4000-8000-000000000001';
const options = { taskId: TASK, bytes: 123_456, inlineBytes: INLINE, promisesStructure: false };
const text = (length: number, letter = 'x') => ({ type: 'text', text: letter.repeat(length) });
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const blocksOf = (result: JsonObject) => result['content'] as JsonObject[];

describe('the preview of a result', () => {
  it('is its beginning, a sentence, and a link to the whole', () => {
    const [first, note, link, ...more] = blocksOf(preview({ content: [text(50_000)] }, options));
    expect(first).toEqual({ type: 'text', text: expect.stringMatching(/^x{1000,2000}$/) });
    expect(note).toEqual({
      type: 'text',
      text: expect.stringMatching(/beginning of a result of 123456 bytes.*longshore:.*\/result/),
    });
    expect(link).toEqual({
      type: 'resource_link',
      uri: `longshore://tasks/${TASK}/result`,
      name: 'result.json',
      mimeType: 'application/json',
      size: 123_456,
    });
    expect(more).toEqual([]);
  });

  it('keeps blocks that fit, in their order, and leaves out what does not', () => {
    const image = { type: 'image', data: 'A'.repeat(50_000), mimeType: 'image/png' };
    const content = [text(10, 'a'), image, text(10, 'b'), text(9_000, 'c'), text(10, 'd')];
    const shown = blocksOf(preview({ content }, options)).slice(0, -2);
    expect(shown.slice(0, 2)).toEqual([text(10, 'a'), text(10, 'b')]);
    expect(shown[2]?.['text']).toMatch(/^c+$/);
  });

  it('names files before it shows text', () => {
    const link = { type: 'resource_link', uri: 'longshore://x', name: 'x' };
    const shown = blocksOf(preview({ content: [text(50_000), link] }, options));
    expect(shown[1]).toEqual(link);
  });

  it('splits no character and no escape', () => {
    const escaped = '\u0001"'.repeat(20);
    const content = [{ type: 'text', text: `${escaped}${'😀'.repeat(9_000)}` }];
    const [first] = blocksOf(preview({ content }, options));
    const shown = String(first?.['text']);
    expect(shown.startsWith(escaped)).toBe(true);
    expect(shown.slice(escaped.length)).toMatch(/^(😀)+$/u);
  });

  it('keeps structured content that a schema promises whole, and no other', () => {
    const structuredContent = { rows: Array.from({ length: 5_000 }, (_, n) => n) };
    const result = { content: [text(50_000)], structuredContent };
    const promised = preview(result, { ...options, promisesStructure: true });
    expect(promised['structuredContent']).toBe(structuredContent);
    expect(preview(result, options)).not.toHaveProperty('structuredContent');
  });

  it('is in bounds whatever the content', () => {
    const long = fc
      .tuple(fc.constantFrom('x', '"', '\u0001', 'ä', '😀'), fc.nat({ max: 20_000 }))
      .map(([letter, length]) => letter.repeat(length));
    const block = fc.oneof(
      fc.record({ type: fc.constant('text'), text: long }),
      fc.record({ type: fc.constant('resource_link'), uri: long }),
      fc.record({ type: fc.constant('audio'), data: long }),
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 30 }), (content) => {
        expect(bytesOf(preview({ content }, options))).toBeLessThan(INLINE / 2);
      }),
    );
  });
});

describe('the size of an outcome', () => {
  const limits = { taskId: TASK, promisesStructure: false, inlineBytes: INLINE, maxBytes: 100_000 };
  const outcome = (length: number): Outcome => ({
    kind: 'result',
    isError: false,
    result: { content: [text(length)] },
  });
  const frame = bytesOf({ content: [text(0)] });

  it('is left alone up to the limit', () => {
    const fits = outcome(INLINE - frame);
    expect(sizedOutcome(fits, limits)).toEqual({ outcome: fits });
    expect(sizedOutcome(outcome(INLINE - frame + 1), limits).preview).toBeDefined();
  });

  it('is an error over the highest limit', () => {
    expect(sizedOutcome(outcome(100_000 - frame), limits).outcome).toMatchObject({
      isError: false,
    });
    const refused = sizedOutcome(outcome(100_000 - frame + 1), limits);
    expect(refused.preview).toBeUndefined();
    expect(refused.outcome).toMatchObject({
      isError: true,
      result: { content: [{ text: expect.stringContaining('100001 bytes') }] },
    });
  });

  it('stays an error with its message in the preview', () => {
    const failed = sizedOutcome(toolErrorOutcome('e'.repeat(50_000)), limits);
    expect(failed.preview).toMatchObject({ isError: true });
  });

  it('of a JSON-RPC error is no matter', () => {
    const error: Outcome = { kind: 'error', error: { code: 1, message: 'm'.repeat(50_000) } };
    expect(sizedOutcome(error, limits)).toEqual({ outcome: error });
  });
});

describe('links to files', () => {
  const file = { name: 'ä b.csv', mimeType: 'text/csv', key: 'k', size: 3, sha256: '' };
  const uri = `longshore://tasks/${TASK}/files/%C3%A4%20b.csv`;

  it('are added to a result', () => {
    const linked = withFileLinks(toolErrorOutcome('failed'), TASK, [file]);
    const { key: _key, sha256: _sha256, ...shown } = file;
    expect(linked).toMatchObject({
      result: { content: [{ type: 'text' }, { type: 'resource_link', uri, ...shown }] },
    });
  });

  it('are not added again, nor to an error', () => {
    const named: Outcome = {
      kind: 'result',
      isError: false,
      result: { content: [{ type: 'resource_link', uri, name: 'mine' }] },
    };
    expect(withFileLinks(named, TASK, [file])).toEqual(named);
    const error: Outcome = { kind: 'error', error: { code: 1, message: 'm' } };
    expect(withFileLinks(error, TASK, [file])).toBe(error);
  });
});
