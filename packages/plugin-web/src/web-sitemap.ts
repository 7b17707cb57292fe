import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { defineTool, Journal, type PluginHost, type Tool, ToolError, z } from '@longshore/plugin';
import { saveLines } from '@longshore/plugin/files';
import { FETCH_FAILURE_CODES, FetchFailure } from './fetch-failure.ts';
import type { PoliteFetcher } from './polite-fetcher.ts';
import { decodeText } from './reading/decode-text.ts';
import { parseSitemap } from './sitemap/parse-sitemap.ts';
import type { Web } from './web.ts';

/** The protocol's own limits: 50 MiB unpacked, 50,000 entries. */
const MAX_SITEMAP_BYTES = 52_428_800;
const MAX_ENTRIES = 50_000;

/** Of Node, for more than `maxOutputLength`. */
const TOO_LARGE_TO_UNPACK = 'ERR_BUFFER_TOO_LARGE';

/** Sitemaps read in one call. */
const MAX_SITEMAPS = 500;

/** Pages returned in a result; more are for a file. */
const MAX_RETURNED_PAGES = 1_000;

const SITEMAP_TYPES = 'application/xml, text/xml, text/plain, application/gzip';

const input = z.strictObject({
  url: z
    .string()
    .describe(
      'A sitemap or index of sitemaps (.xml, .xml.gz, .txt), or a page of the site: then the ones its robots.txt names, or /sitemap.xml.',
    ),
  match: z
    .string()
    .max(1_000)
    .optional()
    .describe('Only pages whose URL contains this, such as "/blog/".'),
  modified_since: z.iso
    .date()
    .optional()
    .describe(
      'Only pages the sitemap says were modified at or after this day, such as 2026-01-31.',
    ),
  max_pages: z.int().min(1).max(100_000).default(10_000).describe('Pages listed at most.'),
  delay_ms: z.int().min(100).max(60_000).default(1_000).describe('Pause between requests.'),
  save_as: z
    .string()
    .optional()
    .describe(
      'Name of a file for all pages, one JSON object a line, such as "pages.jsonl", for urls_file of web_fetch. Without it the first 1,000 are returned.',
    ),
});

const Page = z.object({ url: z.string(), modified: z.string().nullable() });

const Failure = z.object({
  url: z.string(),
  code: z.enum(FETCH_FAILURE_CODES),
  message: z.string(),
});

const output = z.object({
  pages_found: z.int().describe('Different pages that match.'),
  sitemaps: z.int().describe('Read.'),
  truncated: z
    .boolean()
    .describe('True when there may be more pages than are in "pages" or the file.'),
  path: z
    .string()
    .nullable()
    .describe('The file written, readable by other tools of the same user.'),
  bytes: z.int().nullable().describe('Its size.'),
  pages: z.array(Page).describe('Empty with save_as.'),
  failures: z.array(Failure).describe('Sitemaps that could not be read.'),
});

/** A sitemap that is through. */
const Entry = z.object({
  sitemap: z.string(),
  pages: z.array(Page),
  sitemaps: z.array(z.string()),
  failure: Failure.nullable(),
});
type Entry = z.output<typeof Entry>;

export function webSitemap(host: PluginHost, web: Web): Tool {
  return defineTool({
    name: 'web_sitemap',
    title: 'List the pages of a site',
    description:
      'Lists the pages of a web site from its sitemaps: XML, gzip, text, and indexes of sitemaps, up to 500 of them. Use it to find what to fetch with web_fetch; save_as hands all pages over in a file.',
    input,
    output,
    annotations: { readOnlyHint: true, openWorldHint: true },
    task: { queue: 'web', timeoutMs: 21_600_000, attempts: 3 },
    async run(request, ctx) {
      const { url, match = '', modified_since: since = '', max_pages: maxPages } = request;
      const fetcher = web.fetcher(request.delay_ms, ctx.signal);
      const read = new Map<string, Entry>();
      const journal = await Journal.open(
        ctx.checkpoint,
        'web_sitemap',
        Entry,
        (entry) => read.set(entry.sitemap, entry),
        { everyMs: 0 },
      );
      const pages = new Map<string, z.output<typeof Page>>();
      const failures: z.output<typeof Failure>[] = [];
      const pending = [...(await startingPoints(fetcher, url))];
      const seen = new Set(pending);
      let count = 0;
      let truncated = false;
      for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
        ctx.signal.throwIfAborted();
        if (count === MAX_SITEMAPS || pages.size === maxPages) {
          truncated = true;
          break;
        }
        let entry = read.get(next);
        if (entry === undefined) {
          entry = await readSitemap(fetcher, next);
          await journal.add(entry);
        }
        count += 1;
        if (entry.failure !== null) failures.push(entry.failure);
        for (const found of entry.sitemaps) {
          if (seen.has(found)) continue;
          seen.add(found);
          pending.push(found);
        }
        for (const page of entry.pages) {
          // Days compare as texts; a page without one may have been modified at any time.
          if (!page.url.includes(match) || (page.modified ?? '9').slice(0, 10) < since) continue;
          if (pages.size < maxPages || pages.has(page.url)) pages.set(page.url, page);
          else truncated = true;
        }
        ctx.progress(count, count + pending.length, `${pages.size} pages in ${count} sitemaps`);
      }
      const [first] = failures;
      if (first !== undefined && failures.length === count) {
        throw new ToolError(`no sitemap of ${url} can be read: ${first.url} ${first.message}`);
      }
      const found = [...pages.values()];
      const saved =
        request.save_as === undefined
          ? null
          : await saveLines(host, ctx, request.save_as, lines(found));
      return {
        pages_found: found.length,
        sitemaps: count - failures.length,
        truncated: truncated || (saved === null && found.length > MAX_RETURNED_PAGES),
        path: saved?.path ?? null,
        bytes: saved?.bytes ?? null,
        pages: saved === null ? found.slice(0, MAX_RETURNED_PAGES) : [],
        failures,
      };
    },
  });
}

/** @throws {ToolError} no URL, or a site that may not be reached */
async function startingPoints(fetcher: PoliteFetcher, text: string): Promise<readonly string[]> {
  if (!URL.canParse(text)) throw new ToolError(`${JSON.stringify(text.slice(0, 200))} is no URL`);
  const url = new URL(text);
  if (/\.(xml|txt|gz)$/i.test(url.pathname)) return [url.href];
  try {
    const { sitemaps } = await fetcher.robots(url);
    const named = sitemaps.filter((sitemap) => URL.canParse(sitemap, url.href));
    if (named.length === 0) return [new URL('/sitemap.xml', url).href];
    return named.map((sitemap) => new URL(sitemap, url).href);
  } catch (error) {
    if (error instanceof FetchFailure) throw new ToolError(`${url.host}: ${error.message}`);
    throw error;
  }
}

async function readSitemap(fetcher: PoliteFetcher, sitemap: string): Promise<Entry> {
  try {
    const { body } = await fetcher.get(sitemap, {
      maxBytes: MAX_SITEMAP_BYTES,
      accept: SITEMAP_TYPES,
    });
    const text = decodeText(await unpacked(body), { charset: null });
    const { pages, sitemaps } = await parseSitemap(text, MAX_ENTRIES);
    return { sitemap, pages, sitemaps: sitemaps.slice(0, MAX_SITEMAPS), failure: null };
  } catch (error) {
    if (!(error instanceof FetchFailure)) throw error;
    const failure = { url: sitemap, code: error.reason, message: error.message };
    return { sitemap, pages: [], sitemaps: [], failure };
  }
}

/** A file that is gzip, as `sitemap.xml.gz` is, whatever the server calls it. */
async function unpacked(body: Buffer): Promise<Buffer> {
  if (body.subarray(0, 2).toString('hex') !== '1f8b') return body;
  try {
    return await promisify(gunzip)(body, { maxOutputLength: MAX_SITEMAP_BYTES });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const isBomb = code === TOO_LARGE_TO_UNPACK;
    throw isBomb
      ? new FetchFailure('TOO_LARGE', `unpacks to more than ${MAX_SITEMAP_BYTES} bytes`, { cause })
      : new FetchFailure('BAD_RESPONSE', 'is broken gzip', { cause });
  }
}

async function* lines(values: readonly object[]): AsyncGenerator<object, void, undefined> {
  yield* values;
}
