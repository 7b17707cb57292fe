import { afterEach, describe, expect, it } from '@jest/globals';
import { decodeText } from '../src/reading/decode-text.ts';
import { mediaTypeOf } from '../src/reading/media-type.ts';
import { ReadingThread } from '../src/reading/reading-thread.ts';
import { article, PARAGRAPHS } from './site.ts';

let thread: ReadingThread | null = null;
const start = (signal = new AbortController().signal, timeoutMs = 30_000): ReadingThread => {
  thread = new ReadingThread(signal, timeoutMs);
  return thread;
};

afterEach(() => thread?.close());

describe('the text of a page', () => {
  it('is its article, without what is around it', async () => {
    const html = article('Night on the quay', PARAGRAPHS);
    const page = await start().read({ html, readable: true });
    expect(page).toEqual({
      title: expect.stringContaining('Night on the quay'),
      byline: 'Ann Keel',
      language: 'en',
      text: expect.stringContaining(PARAGRAPHS.join('\n\n')),
    });
    expect(page.text).not.toMatch(/Imprint|Shop|track|color/);
  });

  it('is all of it when all is wanted, block by block', async () => {
    const html = `<title>T</title><nav>Home</nav><h1>Head</h1><p>one <b>bold</b><br>two</p>
      <ul><li>a</li><li>b</li></ul><table><tr><td>x</td><td>y</td></tr></table>
      <pre>  kept\n   as is</pre><script>no()</script><footer>&copy; Imprint</footer>`;
    const page = await start().read({ html, readable: false });
    expect(page.title).toBe('T');
    expect(page.text.split(/\n+/)).toEqual([
      'Home',
      'Head',
      'one bold',
      'two',
      'a',
      'b',
      'x\ty',
      'kept',
      'as is',
      '© Imprint',
    ]);
  });

  it('is there for pages that are hardly any', async () => {
    const reading = start();
    const texts: string[] = [];
    for (const html of [
      '',
      'just text',
      '<p>open <b>tags',
      '<html></html>',
      '\0<p>zero</p>',
      '<!doctype html>',
    ]) {
      texts.push((await reading.read({ html, readable: true })).text);
    }
    expect(texts.map((text) => text.replace(/\0/g, '').trim())).toEqual([
      '',
      'just text',
      'open tags',
      '',
      'zero',
      '',
    ]);
  });
});

describe('the reading thread', () => {
  it('gives up a page that takes too long, and reads the next', async () => {
    const reading = start(undefined, 3_000);
    const endless = reading.read({ html: '<div><p>a, b</p>'.repeat(400_000), readable: true });
    const after = reading.read({ html: 'fine', readable: true });
    await expect(endless).rejects.toEqual(expect.objectContaining({ reason: 'UNREADABLE' }));
    expect((await after).text).toBe('fine');
  });

  it('stops at once when the task is stopped', async () => {
    const controller = new AbortController();
    const reading = start(controller.signal);
    const page = reading.read({ html: '<div><p>a, b</p>'.repeat(400_000), readable: true });
    controller.abort(new Error('enough'));
    await expect(page).rejects.toThrow('enough');
  });
});

describe('the encoding', () => {
  const russian = Buffer.from('cff0e8e2e5f2', 'hex');
  const meta = (charset: string): Buffer =>
    Buffer.concat([Buffer.from(`<html><head><meta charset="${charset}"></head>`), russian]);
  const decode = (bytes: Buffer, charset: string | null = null): string =>
    decodeText(bytes, { charset });

  it('is what the mark, the server, the page says, in this order, or what fits', () => {
    expect(decode(russian, 'windows-1251')).toBe('Привет');
    expect(decode(meta('windows-1251'))).toContain('Привет');
    expect(decode(meta('koi8-r'), 'windows-1251')).toContain('Привет');
    expect(decode(meta('windows-1251'), 'no-such-thing')).toContain('Привет');
    expect(decode(Buffer.from('\uFEFFПривет', 'utf16le'), 'windows-1251')).toBe('Привет');
    expect(decode(Buffer.from('\uFEFFПривет'), 'koi8-r')).toBe('Привет');
    expect(decode(Buffer.from('Привет'))).toBe('Привет');
    expect(decode(Buffer.from('<meta charset=utf-16>Привет'))).toContain('Привет');
    expect(decode(Buffer.from('caf\xe9', 'latin1'))).toBe('café');
    expect(
      decode(Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?>\xe9', 'latin1')),
    ).toContain('é');
    expect(decode(Buffer.from('caf\xe9', 'latin1'), 'utf-8')).toBe('caf\uFFFD');
  });

  it.each([
    ['text/html; charset="UTF-8"', 'html', 'UTF-8'],
    ['', 'html', null],
    ['nonsense', 'html', null],
    ['application/xhtml+xml', 'html', null],
    ['text/plain;charset=koi8-r', 'text', 'koi8-r'],
    ['application/ld+json', 'text', null],
  ])('of type %j: %s, %j', (contentType, kind, charset) => {
    expect(mediaTypeOf(contentType)).toMatchObject({ kind, charset });
  });

  it.each(['image/png', 'application/pdf', 'application/octet-stream', 'video/mp4'])(
    'does not matter for %s',
    (contentType) => {
      expect(() => mediaTypeOf(contentType)).toThrow(
        expect.objectContaining({ reason: 'UNSUPPORTED_TYPE' }),
      );
    },
  );
});
