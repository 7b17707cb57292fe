import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ToolError } from '@longshore/plugin';
import { type RunOptions, runTool } from '@longshore/plugin/testing';
import * as plugin from '@longshore/plugin-web';
import { createPluginWorkspace, type PluginWorkspace } from '@longshore/testing/plugins';
import { parseSitemap } from '../src/sitemap/parse-sitemap.ts';
import { bytes, grantFor, type Site, startSite } from './site.ts';

let site: Site;
let workspace: PluginWorkspace;

const XML = { 'content-type': 'application/xml' };
const urlset = (paths: readonly string[], modified = ''): string =>
  `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths
    .map(
      (path) =>
        `<url><loc>\n ${site.origin}${path} </loc>${modified && `<lastmod>${modified}</lastmod>`}</url>`,
    )
    .join('')}</urlset>`;
const index = (paths: readonly string[]): string =>
  `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths
    .map((path) => `<sitemap><loc>${site.origin}${path}</loc></sitemap>`)
    .join('')}</sitemapindex>`;

beforeAll(async () => {
  site = await startSite();
  workspace = await createPluginWorkspace(plugin, { network: grantFor(site) });
  site.on(
    '/index.xml',
    bytes(index(['/a.xml', '/b.xml.gz', '/index.xml', '/broken.xml.gz', '/c.txt']), XML),
  );
  site.on('/a.xml', bytes(urlset(['/blog/1?x=1&amp;y=2', '/about'], '2026-03-01'), XML));
  site.on(
    '/b.xml.gz',
    bytes(gzipSync(urlset(['/blog/2', '/about'], '2025-01-01T10:00:00Z')), {
      'content-type': 'application/x-gzip',
    }),
  );
  site.on('/broken.xml.gz', bytes(gzipSync('x'.repeat(1_000)).subarray(0, 20), {}));
  site.on(
    '/c.txt',
    bytes(`${site.origin}/blog/3\n\nnot a url\n`, { 'content-type': 'text/plain' }),
  );
});

beforeEach(() => {
  site.forget();
  site.on('/robots.txt', `User-agent: *\nAllow: /\nSitemap: ${site.origin}/index.xml\n`);
});

afterAll(async () => {
  await site.close();
  await workspace.remove();
});

const run = async (input: object, options: RunOptions = {}) =>
  (await runTool(workspace.tool('web_sitemap'), { delay_ms: 100, ...input }, options)).output as {
    readonly path: string | null;
    readonly pages: readonly { readonly url: string }[];
  };

describe('web_sitemap', () => {
  it('follows robots.txt, an index, gzip and text, each once, and lists what is broken', async () => {
    const output = await run({ url: `${site.origin}/some/page` });
    expect(output).toEqual({
      pages_found: 4,
      sitemaps: 4,
      truncated: false,
      path: null,
      bytes: null,
      pages: [
        { url: `${site.origin}/blog/1?x=1&y=2`, modified: '2026-03-01' },
        { url: `${site.origin}/about`, modified: '2025-01-01T10:00:00Z' },
        { url: `${site.origin}/blog/2`, modified: '2025-01-01T10:00:00Z' },
        { url: `${site.origin}/blog/3`, modified: null },
      ],
      failures: [
        { url: `${site.origin}/broken.xml.gz`, code: 'BAD_RESPONSE', message: 'is broken gzip' },
      ],
    });
    expect(site.count('/index.xml')).toBe(1);
  });

  it('takes what matches, and what may have been modified since', async () => {
    const { pages } = await run({
      url: `${site.origin}/index.xml`,
      match: '/blog/',
      modified_since: '2026-01-01',
    });
    expect(pages.map(({ url }) => url.replace(site.origin, ''))).toEqual([
      '/blog/1?x=1&y=2',
      '/blog/3',
    ]);
  });

  it('looks for /sitemap.xml when robots.txt names none', async () => {
    site.on('/robots.txt', 'User-agent: *\nAllow: /\n');
    site.on('/sitemap.xml', bytes(urlset(['/only']), XML));
    expect((await run({ url: site.origin })).pages).toHaveLength(1);
  });

  it('stops at the wanted number, and says so', async () => {
    const url = `${site.origin}/index.xml`;
    expect(await run({ url, max_pages: 2 })).toMatchObject({ pages_found: 2, truncated: true });
    expect(await run({ url, max_pages: 4 })).toMatchObject({ pages_found: 4, truncated: false });
  });

  it('writes a file that web_fetch reads', async () => {
    const options = { taskId: 'site', principal: 'ann' };
    const { path } = await run({ url: `${site.origin}/c.txt`, save_as: 'pages.jsonl' }, options);
    expect(await readFile(path ?? '', 'utf8')).toBe(
      `{"url":"${site.origin}/blog/3","modified":null}\n`,
    );
    site.on('/blog/3', 'third');
    const fetched = await runTool(
      workspace.tool('web_fetch'),
      { urls_file: path, delay_ms: 100 },
      { principal: 'ann' },
    );
    expect(fetched.output).toMatchObject({ fetched: 1, pages: [{ text: 'third' }] });
  });

  it('does not unpack a bomb', async () => {
    site.on('/bomb.xml.gz', bytes(gzipSync(Buffer.alloc(60_000_000)), {}));
    await expect(run({ url: `${site.origin}/bomb.xml.gz` })).rejects.toThrow(
      'unpacks to more than',
    );
  });

  it('reads no sitemap again after a crash', async () => {
    const { checkpoints } = await runTool(workspace.tool('web_sitemap'), {
      url: `${site.origin}/index.xml`,
      delay_ms: 100,
    });
    site.forget();
    const saved = new Map([...checkpoints].slice(0, 2));
    const again = await run(
      { url: `${site.origin}/index.xml` },
      { attempt: 2, checkpoints: saved },
    );
    expect(again).toMatchObject({ pages_found: 4, sitemaps: 4 });
    expect([site.count('/index.xml'), site.count('/a.xml'), site.count('/b.xml.gz')]).toEqual([
      0, 0, 1,
    ]);
  });

  it.each([
    ['nonsense', 'is no URL'],
    ['http://127.0.0.1/', 'has an address that is not public'],
    ['ftp://example.com/sitemap.xml', 'not http: or https:'],
  ])('refuses %s', async (url, message) => {
    await expect(run({ url })).rejects.toThrow(message);
    await expect(run({ url })).rejects.toBeInstanceOf(ToolError);
  });
});

describe('a sitemap', () => {
  it.each([
    ['', { pages: [], sitemaps: [] }],
    ['<html><body>Not found</body></html>', { pages: [], sitemaps: [] }],
    [
      '<urlset><url><loc>https://a.test/',
      { pages: [{ url: 'https://a.test/', modified: null }], sitemaps: [] },
    ],
    ['<urlset><url><loc> </loc></url></urlset>', { pages: [], sitemaps: [] }],
    [
      '<s:urlset><s:url><s:loc><![CDATA[https://a.test/?a&b]]></s:loc><image:image><image:loc>x</image:loc></image:image></s:url></s:urlset>',
      { pages: [{ url: 'https://a.test/?a&b', modified: null }], sitemaps: [] },
    ],
    [
      '<!DOCTYPE x [<!ENTITY a "&b;&b;"><!ENTITY b "lol">]><urlset><url><loc>https://a.test/&a;</loc></url></urlset>',
      { pages: [{ url: 'https://a.test/&a;', modified: null }], sitemaps: [] },
    ],
  ])('such as %j is read for what is there', async (text, found) => {
    expect(await parseSitemap(text, 10)).toEqual(found);
  });

  it('has no more entries than wanted', async () => {
    const many = '<url><loc>https://a.test/</loc></url>'.repeat(20);
    expect((await parseSitemap(`<urlset>${many}</urlset>`, 10)).pages).toHaveLength(10);
  });
});
