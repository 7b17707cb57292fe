import {
  defineTool,
  eachLimited,
  Journal,
  type PluginHost,
  type Tool,
  type ToolContext,
  z,
} from '@longshore/plugin';
import { saveLines } from '@longshore/plugin/files';
import { FetchFailure } from './fetch-failure.ts';
import type { PoliteFetcher } from './polite-fetcher.ts';
import { MAX_URLS, readUrls } from './read-urls.ts';
import { ReadingThread } from './reading/reading-thread.ts';
import type { Web } from './web.ts';
import { failureOf, fetchPage, WebFailure, WebPage } from './web-page.ts';

/** Text returned in a result, in UTF-16 units; more is for a file. */
const MAX_RETURNED_TEXT = 262_144;
const MAX_LISTED_FAILURES = 200;

/** Pages on their way at once, over all hosts. */
const CONCURRENT_PAGES = 8;

const input = z.strictObject({
  urls: z
    .array(z.string())
    .max(MAX_URLS)
    .default([])
    .describe('Pages to fetch, http or https. Give these, urls_file or both.'),
  urls_file: z
    .string()
    .min(1)
    .max(4_096)
    .optional()
    .describe(
      'A file with one URL a line, or JSON lines with a field "url", such as web_sitemap writes.',
    ),
  content: z
    .enum(['readable', 'all'])
    .default('readable')
    .describe('Of HTML: the article without navigation and the like, or all text.'),
  max_characters: z
    .int()
    .min(100)
    .max(500_000)
    .default(50_000)
    .describe('Of the text of each page; what is longer is clipped.'),
  delay_ms: z
    .int()
    .min(100)
    .max(60_000)
    .default(1_000)
    .describe('Pause between requests to the same host; longer where robots.txt asks for it.'),
  save_as: z
    .string()
    .optional()
    .describe(
      'Name of a file for all pages and failures, one JSON object a line, such as "pages.jsonl". Without it the first pages are returned.',
    ),
});

const output = z.object({
  fetched: z.int(),
  failed: z.int(),
  truncated: z
    .boolean()
    .describe('True when not all fetched pages are in "pages" or the file: use save_as for all.'),
  path: z
    .string()
    .nullable()
    .describe('The file written, readable by other tools of the same user.'),
  bytes: z.int().nullable().describe('Its size.'),
  pages: z.array(WebPage).describe('In the order they came. Empty with save_as.'),
  failures: z.array(WebFailure).describe(`The first ${MAX_LISTED_FAILURES}.`),
});
type Output = z.output<typeof output>;

const Entry = z.union([
  z.object({ page: WebPage, failure: z.null() }),
  z.object({ page: z.null(), failure: WebFailure }),
]);
type Entry = z.output<typeof Entry>;

export function webFetch(host: PluginHost, web: Web): Tool {
  return defineTool({
    name: 'web_fetch',
    title: 'Fetch web pages',
    description:
      'Fetches up to 10,000 web pages and returns their readable text, title, author and language; HTML, text and JSON. It follows robots.txt, pauses between requests to one host, and reaches public addresses only. Pages that can not be had are listed with a code. Use save_as for more than some pages.',
    input,
    output,
    annotations: { readOnlyHint: true, openWorldHint: true },
    task: { queue: 'web', timeoutMs: 21_600_000, attempts: 3 },
    async run(request, ctx) {
      const urls = await readUrls(host, ctx, request);
      const done = new Set<string>();
      let failed = 0;
      const note = ({ page, failure }: Entry): void => {
        done.add((page ?? failure).url);
        if (failure !== null) failed += 1;
      };
      // Each entry at once: no page is fetched again because a worker died.
      const options = { everyMs: 0 };
      const journal = await Journal.open(ctx.checkpoint, 'web_fetch', Entry, note, options);
      const report = (): void => {
        const failures = failed === 0 ? '' : `, ${failed} failed`;
        ctx.progress(done.size, urls.length, `${done.size} of ${urls.length}${failures}`);
      };
      report();
      const reading = new ReadingThread(ctx.signal);
      try {
        const fetcher = web.fetcher(request.delay_ms, ctx.signal);
        const waiting = spreadHosts(urls.filter((url) => !done.has(url)));
        const limits = { concurrency: CONCURRENT_PAGES, signal: ctx.signal };
        await eachLimited(waiting, limits, async (url) => {
          const entry = await fetchEntry(url, {
            fetcher,
            reading,
            readable: request.content === 'readable',
            maxCharacters: request.max_characters,
          });
          await journal.add(entry);
          note(entry);
          report();
        });
      } finally {
        await reading.close();
      }
      return result(host, ctx, journal, request.save_as);
    },
  });
}

async function fetchEntry(
  url: string,
  request: {
    readonly fetcher: PoliteFetcher;
    readonly reading: ReadingThread;
    readonly readable: boolean;
    readonly maxCharacters: number;
  },
): Promise<Entry> {
  try {
    return { page: await fetchPage(url, request), failure: null };
  } catch (error) {
    if (!(error instanceof FetchFailure)) throw error;
    return { page: null, failure: failureOf(url, error) };
  }
}

async function result(
  host: PluginHost,
  ctx: ToolContext,
  journal: Journal<Entry>,
  saveAs: string | undefined,
): Promise<Output> {
  const pages: WebPage[] = [];
  const failures: WebFailure[] = [];
  let fetched = 0;
  let failed = 0;
  let length = 0;
  const all = async function* (): AsyncGenerator<object, void, undefined> {
    for await (const { page, failure } of journal.entries()) {
      if (failure !== null) {
        failed += 1;
        if (failures.length < MAX_LISTED_FAILURES) failures.push(failure);
        yield failure;
      } else {
        fetched += 1;
        length += page.text.length;
        if (saveAs === undefined && length <= MAX_RETURNED_TEXT) pages.push(page);
        yield page;
      }
    }
  };
  const saved = saveAs === undefined ? null : await saveLines(host, ctx, saveAs, all());
  if (saved === null) for await (const _ of all());
  return {
    fetched,
    failed,
    truncated: saved === null && pages.length < fetched,
    path: saved?.path ?? null,
    bytes: saved?.bytes ?? null,
    pages,
    failures,
  };
}

/**
 * The same URLs, hosts taking turns: whoever works through them does not wait for one host while others have
 * nothing to do.
 */
function spreadHosts(urls: readonly string[]): readonly string[] {
  const byHost = new Map<string, string[]>();
  for (const url of urls) {
    const host = URL.canParse(url) ? new URL(url).host : '';
    const own = byHost.get(host);
    if (own === undefined) byHost.set(host, [url]);
    else own.push(url);
  }
  const spread: string[] = [];
  for (let turn = 0; spread.length < urls.length; turn += 1) {
    for (const own of byHost.values()) {
      const url = own[turn];
      if (url !== undefined) spread.push(url);
    }
  }
  return spread;
}
