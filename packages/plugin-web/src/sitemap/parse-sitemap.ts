import { Parser } from 'htmlparser2';

/** Parsed in one turn of the event loop, in UTF-16 units. */
const SLICE_LENGTH = 262_144;

export interface SitemapPage {
  readonly url: string;
  /** As the site says it, such as `2026-03-01`; null: it does not. */
  readonly modified: string | null;
}

export interface Sitemap {
  readonly pages: SitemapPage[];
  /** Of an index: the sitemaps it names. */
  readonly sitemaps: string[];
}

/**
 * Reads a sitemap: XML, an index of sitemaps (sitemaps.org), RSS or Atom are not told apart but by their
 * elements; text with a URL a line. Never fails: what is broken ends early.
 *
 * @param maxEntries pages and sitemaps, each; the rest is left out
 */
export async function parseSitemap(text: string, maxEntries: number): Promise<Sitemap> {
  const found: Sitemap = { pages: [], sitemaps: [] };
  if (!text.trimStart().startsWith('<')) {
    const lines = text.split('\n').map((line) => line.trim());
    const urls = lines.filter((line) => /^https?:\/\//i.test(line)).slice(0, maxEntries);
    found.pages.push(...urls.map((url) => ({ url, modified: null })));
    return found;
  }
  const open: string[] = [];
  let location = '';
  let modified = '';
  const parser = new Parser(
    {
      onopentagname: (name) => {
        open.push(localName(name));
        if (open.at(-1) === 'url' || open.at(-1) === 'sitemap') {
          location = '';
          modified = '';
        }
      },
      ontext: (part) => {
        const parent = open.at(-2);
        if (parent !== 'url' && parent !== 'sitemap') return;
        if (open.at(-1) === 'loc') location += part;
        if (open.at(-1) === 'lastmod') modified += part;
      },
      onclosetag: () => {
        const name = open.pop();
        const url = location.trim();
        if (url === '') return;
        if (name === 'url' && found.pages.length < maxEntries) {
          found.pages.push({ url, modified: modified.trim() || null });
        }
        if (name === 'sitemap' && found.sitemaps.length < maxEntries) found.sitemaps.push(url);
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  for (let at = 0; at < text.length; at += SLICE_LENGTH) {
    parser.write(text.slice(at, at + SLICE_LENGTH));
    await new Promise(setImmediate);
  }
  parser.end();
  return found;
}

/** Without a namespace's prefix. */
function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}
