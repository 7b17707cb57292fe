import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ToolError } from '@longshore/plugin';
import { type RunOptions, runTool, startTool, ToolSchemaError } from '@longshore/plugin/testing';
import * as plugin from '@longshore/plugin-web';
import { createPluginWorkspace, type PluginWorkspace } from '@longshore/testing/plugins';
import { article, bytes, grantFor, PARAGRAPHS, redirect, type Site, startSite } from './site.ts';

interface Fetched {
  readonly fetched: number;
  readonly failed: number;
  readonly truncated: boolean;
  readonly path: string | null;
  readonly pages: readonly {
    readonly url: string;
    readonly text: string;
    readonly clipped: boolean;
  }[];
  readonly failures: readonly {
    readonly url: string;
    readonly code: string;
    readonly status: number | null;
  }[];
}

let site: Site;
let workspace: PluginWorkspace;

beforeAll(async () => {
  site = await startSite();
  workspace = await createPluginWorkspace(plugin, { network: grantFor(site) });
});

beforeEach(() => {
  site.forget();
  site.on('/robots.txt', (response) => response.writeHead(404).end());
});

afterAll(async () => {
  await site.close();
  await workspace.remove();
});

const run = async (input: object, options: RunOptions = {}) => {
  const finished = await runTool(workspace.tool('web_fetch'), { delay_ms: 100, ...input }, options);
  return { ...finished, output: finished.output as Fetched };
};
const at = (...paths: string[]): string[] => paths.map((path) => `${site.origin}${path}`);

describe('web_fetch', () => {
  it('returns the readable text of pages, and says who asks', async () => {
    site.on('/night', redirect('/night/'));
    site.on('/night/', article('Night on the quay', PARAGRAPHS));
    site.on('/data', bytes('{"a":1}', { 'content-type': 'application/json' }));
    site.on(
      '/old',
      bytes(Buffer.from('cff0e8e2e5f2', 'hex'), {
        'content-type': 'text/plain; charset=windows-1251',
      }),
    );
    const { output, progress } = await run({ urls: at('/night', '/data', '/old') });
    expect(output).toMatchObject({ fetched: 3, failed: 0, truncated: false, path: null });
    const byUrl = new Map(output.pages.map((page) => [page.url, page]));
    expect(byUrl.get(`${site.origin}/night`)).toMatchObject({
      final_url: `${site.origin}/night/`,
      status: 200,
      content_type: 'text/html',
      title: expect.stringContaining('Night on the quay'),
      byline: 'Ann Keel',
      language: 'en',
      text: expect.stringContaining(PARAGRAPHS.join('\n\n')),
      clipped: false,
    });
    expect(byUrl.get(`${site.origin}/data`)?.text).toBe('{"a":1}');
    expect(byUrl.get(`${site.origin}/old`)?.text).toBe('Привет');
    expect([...site.userAgents]).toEqual(['harbourbot/1.0 (+mailto:ops@example.com)']);
    expect(site.asked[0]).toBe('/robots.txt');
    expect(site.count('/robots.txt')).toBe(1);
    expect(progress.at(-1)).toEqual({ done: 3, total: 3, message: '3 of 3' });
  });

  it('clips long texts and says so', async () => {
    site.on('/long', bytes('x'.repeat(1_000), { 'content-type': 'text/plain' }));
    const { output } = await run({ urls: at('/long'), max_characters: 100 });
    expect(output.pages[0]).toMatchObject({
      text: 'x'.repeat(100),
      characters: 1_000,
      clipped: true,
    });
  });

  it('gives each page that can not be had its code, and the others their text', async () => {
    site.on('/fine', article('Fine', PARAGRAPHS));
    site.on('/image', bytes('x', { 'content-type': 'image/png' }));
    site.on('/inside', redirect('http://169.254.169.254/latest/meta-data/'));
    site.on('/round', redirect('/round'));
    site.on('/huge', (response) =>
      response.writeHead(200, { 'content-length': '9000000' }).flushHeaders(),
    );
    const urls = [
      ...at('/fine', '/image', '/inside', '/round', '/huge', '/missing'),
      'http://127.0.0.1/',
      'ftp://example.com/',
      'what?',
    ];
    const { output, progress } = await run({ urls });
    expect(output).toMatchObject({ fetched: 1, failed: 8 });
    const codes = output.failures.map(({ url, code }) => [url.replace(site.origin, ''), code]);
    expect(Object.fromEntries(codes)).toEqual({
      '/image': 'UNSUPPORTED_TYPE',
      '/inside': 'PRIVATE_ADDRESS',
      '/round': 'TOO_MANY_REDIRECTS',
      '/huge': 'TOO_LARGE',
      '/missing': 'HTTP_STATUS',
      'http://127.0.0.1/': 'PRIVATE_ADDRESS',
      'ftp://example.com/': 'INVALID_URL',
      'what?': 'INVALID_URL',
    });
    expect(output.failures.find(({ code }) => code === 'HTTP_STATUS')?.status).toBe(404);
    expect(progress.at(-1)?.message).toBe('9 of 9, 8 failed');
  });

  it('does as robots.txt says, after redirects as well', async () => {
    site.on(
      '/robots.txt',
      'User-agent: *\nDisallow: /\n\nUser-agent: HarbourBot\nDisallow: /private\nAllow: /private/fine$\n',
    );
    site.on('/open', article('Open', PARAGRAPHS));
    site.on('/private/fine', 'yes');
    site.on('/private/notes', 'no');
    site.on('/around', redirect('/private/notes'));
    const { output } = await run({
      urls: at('/open', '/private/fine', '/private/notes', '/around'),
    });
    expect(output.pages.map(({ url }) => url).sort()).toEqual(at('/open', '/private/fine'));
    expect(output.failures.map(({ url, code }) => [url, code]).sort()).toEqual(
      at('/around', '/private/notes').map((url) => [url, 'ROBOTS_DENIED']),
    );
    expect(site.count('/private/notes')).toBe(0);
  });

  it('leaves a site alone whose robots.txt can not be had', async () => {
    site.on('/robots.txt', (response) => response.writeHead(500).end());
    const { output } = await run({ urls: at('/open') });
    expect(output.failures).toMatchObject([{ code: 'ROBOTS_UNREACHABLE' }]);
    expect(site.count('/open')).toBe(0);
  });

  it('tries a second time what may be better a moment later', async () => {
    let first = true;
    site.on('/busy', (response) => {
      if (first) response.writeHead(503, { 'retry-after': '0' }).end();
      else response.writeHead(200, { 'content-type': 'text/plain' }).end('better');
      first = false;
    });
    const { output } = await run({ urls: at('/busy') });
    expect(output.pages).toMatchObject([{ text: 'better' }]);
    expect(site.count('/busy')).toBe(2);
  });

  it('reads URLs from files and writes a line for each', async () => {
    site.on('/one', 'one');
    site.on('/two', 'two');
    const [one, two, missing] = at('/one', '/two', '/missing');
    await workspace.write(
      'urls.txt',
      `${one}\r\n\n{"url":"${two}","modified":null}\n${missing}\n${one}\n`,
    );
    const { output } = await run(
      { urls_file: 'urls.txt', urls: [one], save_as: 'pages.jsonl' },
      { taskId: 'lines', principal: 'ann' },
    );
    expect(output).toMatchObject({ fetched: 2, failed: 1, truncated: false, pages: [] });
    const lines = (await readFile(output.path ?? '', 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).url).sort()).toEqual([missing, one, two].sort());
  });

  it('returns no more text than a result may hold', async () => {
    for (const path of ['/big/1', '/big/2', '/big/3']) {
      site.on(path, bytes('x'.repeat(120_000), { 'content-type': 'text/plain' }));
    }
    const { output } = await run({
      urls: at('/big/1', '/big/2', '/big/3'),
      max_characters: 500_000,
    });
    expect(output).toMatchObject({ fetched: 3, truncated: true });
    expect(output.pages).toHaveLength(2);
  });

  it('fetches no finished page again after a crash', async () => {
    const paths = Array.from({ length: 8 }, (_, index) => `/again/${index}`);
    for (const path of paths) site.on(path, path);
    const first = startTool(
      workspace.tool('web_fetch'),
      { urls: at(...paths), delay_ms: 100 },
      {
        onProgress: ({ done }) => {
          if (done === 4) first.abort(new Error('killed'));
        },
      },
    );
    await expect(first.output).rejects.toThrow('killed');
    const saved = [...first.checkpoints.values()].flat() as { page: { url: string } }[];
    const finished = saved.map(({ page }) => page.url);
    // Others may have been at their end.
    expect(finished.length).toBeGreaterThanOrEqual(4);
    expect(finished.length).toBeLessThan(8);
    site.forget();
    const { output, progress } = await run(
      { urls: at(...paths) },
      { attempt: 2, checkpoints: first.checkpoints },
    );
    expect(output).toMatchObject({ fetched: 8, failed: 0 });
    expect(new Set(output.pages.map(({ url }) => url))).toEqual(new Set(at(...paths)));
    expect(progress[0]?.done).toBe(finished.length);
    expect(site.asked.filter((path) => finished.includes(`${site.origin}${path}`))).toEqual([]);
    expect(site.asked.filter((path) => path !== '/robots.txt')).toHaveLength(8 - finished.length);
  });

  it.each([
    [{ urls: [] }, 'there is no URL'],
    [{ urls_file: 'missing.txt' }, 'does not exist'],
    [{ urls_file: '../urls.txt' }, 'is outside'],
    [{ urls: ['http://127.0.0.1/'], save_as: '../x' }, 'is no file name'],
  ])('refuses %j', async (input, message) => {
    const failed = run(input);
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toBeInstanceOf(ToolError);
  });

  it.each([{ urls: ['x'], delay_ms: 0 }, { urls: ['x'], max_characters: 10 }, { url: 'x' }])(
    'refuses the arguments %j',
    async (input) => {
      await expect(run(input)).rejects.toBeInstanceOf(ToolSchemaError);
    },
  );
});
