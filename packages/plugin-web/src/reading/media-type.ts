import { parseMIMEType } from 'undici';
import { FetchFailure } from '../fetch-failure.ts';

/** What a page is, as far as reading it goes. */
export interface MediaType {
  readonly kind: 'html' | 'text';
  /** Such as `text/html`. */
  readonly name: string;
  /** As the server says; null: it does not. */
  readonly charset: string | null;
}

const HTML: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);
const TEXT = /^(text\/.+|application\/(json|xml|yaml|x-yaml|.+\+(json|xml)))$/;

/** What requests ask for. */
export const PAGE_TYPES = 'text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.8';

/**
 * @param contentType of the response; one that is missing or senseless means HTML, as in browsers
 * @throws {FetchFailure} UNSUPPORTED_TYPE
 */
export function mediaTypeOf(contentType: string): MediaType {
  const parsed = parseMIMEType(contentType);
  if (parsed === 'failure') return { kind: 'html', name: 'text/html', charset: null };
  const name = parsed.essence;
  const charset = parsed.parameters.get('charset') ?? null;
  if (HTML.has(name)) return { kind: 'html', name, charset };
  if (TEXT.test(name)) return { kind: 'text', name, charset };
  throw new FetchFailure('UNSUPPORTED_TYPE', `is ${name.slice(0, 100)}, not text`);
}
