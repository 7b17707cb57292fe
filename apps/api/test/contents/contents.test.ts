import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseRange } from '../../src/contents/byte-range.ts';
import { attachment } from '../../src/contents/content-disposition.ts';
import { pageBytes, pageContent } from '../../src/contents/page.ts';
import { parsePath, parseTaskUri, taskUri } from '../../src/tasks/task-uri.ts';

const ID = '0f0e0d0c-0b0a-4908-8706-050403020100';

describe('the address of a content', () => {
  it('names a result or a file, and a part of it', () => {
    expect(parseTaskUri(`longshore://tasks/${ID}/result`)).toEqual({
      taskId: ID,
      content: { kind: 'result' },
      offset: 0,
      length: null,
    });
    expect(
      parseTaskUri(`longshore://tasks/${ID}/files/%C3%A4%20b%2Fc.csv?offset=10&length=5`),
    ).toEqual({ taskId: ID, content: { kind: 'file', name: 'ä b/c.csv' }, offset: 10, length: 5 });
  });

  it('and its text are one', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (name) => {
        fc.pre(!name.includes('\0'));
        const uri = taskUri({ taskId: ID as never, content: { kind: 'file', name } });
        expect(parseTaskUri(uri).content).toEqual({ kind: 'file', name });
      }),
    );
  });

  it.each([
    ...['', 'x', `${ID}`, `${ID}/`, `${ID}/results`, `${ID}/result/`, `${ID}/files`],
    ...[`${ID}/files/`, `${ID}/files/a/b`, `${ID}/files/%`, `${ID}/files/%00`, '../x/result'],
  ])('is none: %j', (path) => {
    expect(parsePath(path)).toBeNull();
    expect(() => parseTaskUri(`longshore://tasks/${path}`)).toThrow('Resource not found');
  });

  it.each(['-1', '1.5', 'x', '', '1e3', '9'.repeat(16)])('has no offset %j', (offset) => {
    expect(() => parseTaskUri(`longshore://tasks/${ID}/result?offset=${offset}`)).toThrow(
      'whole number',
    );
  });
});

describe('a Range header', () => {
  it.each([
    ['bytes=0-4', { start: 0, end: 5 }],
    ['bytes=5-', { start: 5, end: 10 }],
    ['bytes=-3', { start: 7, end: 10 }],
    ['bytes=-30', { start: 0, end: 10 }],
    ['bytes=9-100', { start: 9, end: 10 }],
    ['bytes= 2 - 3', { start: 2, end: 4 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=4-3', null],
    ['bytes=0-1,4-5', null],
    ['bytes=-', null],
    ['lines=0-4', null],
    ['', null],
    [undefined, null],
  ] as const)('%j of ten bytes is %j', (header, range) => {
    expect(parseRange(header, 10)).toEqual(range);
  });

  it('of nothing is not satisfiable', () => {
    expect(parseRange('bytes=0-', 0)).toBe('unsatisfiable');
    expect(parseRange('bytes=-5', 0)).toBe('unsatisfiable');
  });
});

describe('Content-Disposition', () => {
  it('has the name in ASCII, and whole for those who can read it', () => {
    expect(attachment('größe (1).csv')).toBe(
      'attachment; filename="gr__e _1_.csv"; filename*=UTF-8\'\'gr%C3%B6%C3%9Fe%20%281%29.csv',
    );
  });

  it('ends no header and no quotes, whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        expect(attachment(name)).toMatch(
          /^attachment; filename="[A-Za-z0-9._ -]*"; filename\*=UTF-8''[A-Za-z0-9._!~%-]*$/,
        );
      }),
    );
  });
});

describe('a page', () => {
  const bytes = Buffer.from('aä😀');

  it('of text ends with a whole character, unless it is the last one', () => {
    for (let length = 1; length < bytes.length; length += 1) {
      const { body, taken } = pageContent(bytes.subarray(0, length), 'text/plain', false);
      expect(body).toEqual({ text: length < 3 ? 'a' : 'aä' });
      expect(taken).toBe(length < 3 ? 1 : 3);
    }
    expect(pageContent(bytes, 'text/plain', true)).toEqual({ body: { text: 'aä😀' }, taken: 7 });
  });

  it('goes on with the next one, to the end', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 4, max: 20 }),
        (text, size) => {
          const all = Buffer.from(text);
          let read = '';
          for (let at = 0; at < all.length; ) {
            const end = Math.min(all.length, at + size);
            const { body, taken } = pageContent(
              all.subarray(at, end),
              'text/csv',
              end === all.length,
            );
            expect(taken).toBeGreaterThan(0);
            read += String(body['text']);
            at += taken;
          }
          expect(read).toBe(text);
        },
      ),
    );
  });

  it('is base64 when it is no text, or says it is and is not', () => {
    const broken = Buffer.from([0x61, 0xff, 0xfe, 0x62]);
    for (const type of ['image/png', 'text/plain; charset=latin1']) {
      expect(pageContent(broken, type, true)).toEqual({
        body: { blob: broken.toString('base64') },
        taken: 4,
      });
    }
    expect(pageContent(Buffer.from('{}'), 'application/ld+json', true).body).toEqual({
      text: '{}',
    });
  });

  it('of base64 takes no more than its budget', () => {
    for (const budget of [4_096, 4_097, 65_536]) {
      const blob = Buffer.alloc(pageBytes('image/png', budget)).toString('base64');
      expect(blob.length).toBeLessThanOrEqual(budget);
    }
    expect(pageBytes('text/html; charset=utf-8', 4_096)).toBe(4_096);
  });
});
