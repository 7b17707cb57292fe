import { z } from '@longshore/plugin';
import { FETCH_FAILURE_CODES, type FetchFailure } from './fetch-failure.ts';
import type { PoliteFetcher } from './polite-fetcher.ts';
import { decodeText } from './reading/decode-text.ts';
import { mediaTypeOf, PAGE_TYPES } from './reading/media-type.ts';
import type { ReadingThread } from './reading/reading-thread.ts';

/** 8 MiB: of a page, unpacked. */
const MAX_PAGE_BYTES = 8_388_608;

/** Longest title, author or language that is kept, in UTF-16 units. */
const MAX_FACT = 500;

export const WebPage = z.object({
  url: z.string().describe('As it was given.'),
  final_url: z.string().describe('After redirects.'),
  status: z.int(),
  content_type: z.string(),
  title: z.string(),
  byline: z.string(),
  language: z.string(),
  text: z.string(),
  characters: z.int().describe('Of the whole text.'),
  clipped: z.boolean().describe('True when the text is longer than what is here.'),
});
export type WebPage = z.output<typeof WebPage>;

export const WebFailure = z.object({
  url: z.string(),
  code: z.enum(FETCH_FAILURE_CODES),
  message: z.string(),
  status: z.int().nullable().describe('Of the response, when that is what is wrong.'),
});
export type WebFailure = z.output<typeof WebFailure>;

export interface PageRequest {
  readonly fetcher: PoliteFetcher;
  readonly reading: ReadingThread;
  /** The article alone. */
  readonly readable: boolean;
  /** Of text, in UTF-16 units. */
  readonly maxCharacters: number;
}

/** @throws {FetchFailure} */
export async function fetchPage(url: string, request: PageRequest): Promise<WebPage> {
  const { fetcher, reading, readable, maxCharacters } = request;
  const response = await fetcher.get(url, { maxBytes: MAX_PAGE_BYTES, accept: PAGE_TYPES });
  const type = mediaTypeOf(response.contentType);
  const content = decodeText(response.body, type);
  const page =
    type.kind === 'html'
      ? await reading.read({ html: content, readable })
      : { title: '', byline: '', language: '', text: content };
  const text = wellFormed(page.text);
  return {
    url,
    final_url: response.url.href,
    status: response.status,
    content_type: type.name,
    title: wellFormed(page.title.slice(0, MAX_FACT)),
    byline: wellFormed(page.byline.slice(0, MAX_FACT)),
    language: wellFormed(page.language.slice(0, MAX_FACT)),
    text: wellFormed(text.slice(0, maxCharacters)),
    characters: text.length,
    clipped: text.length > maxCharacters,
  };
}

export function failureOf(url: string, { reason, message, status }: FetchFailure): WebFailure {
  return { url, code: reason, message: wellFormed(message), status };
}

/** Without halves of characters, which are no text and many parsers refuse. */
function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, '\uFFFD');
}
