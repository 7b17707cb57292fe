import { LongshoreError } from '@longshore/core';

/** Headers of an HTTP request as Node gives them; names may be in any case. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

const VISIBLE_ASCII = /^[\t\x20-\x7e]*$/;
const SENTINEL_START = '=?base64?';
const SENTINEL_END = '?=';
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * One header's value without the optional white space around it (RFC 9110 section 5.5).
 *
 * @returns undefined when the request does not have it
 * @throws {LongshoreError} HEADER_MISMATCH for characters that a field value may not have
 */
export function headerValue(headers: RequestHeaders, name: string): string | undefined {
  const raw = headers[name.toLowerCase()] ?? headers[nameAsSent(headers, name)];
  if (raw === undefined) return undefined;
  // A header that is sent twice is a list, which equals nothing a body can say.
  const value = typeof raw === 'string' ? raw : raw.join(', ');
  if (!VISIBLE_ASCII.test(value)) {
    throw headerMismatch(name, 'has characters that a header must not have');
  }
  return trimOptionalWhitespace(value);
}

/**
 * Like headerValue, for the headers that may carry `=?base64?…?=` around UTF-8: Mcp-Name and Mcp-Param-*.
 *
 * @throws {LongshoreError} HEADER_MISMATCH also when what the markers enclose is not canonical Base64 of UTF-8
 * @see 2026-07-28 basic/transports/streamable-http, "Value Encoding"
 */
export function decodedHeaderValue(headers: RequestHeaders, name: string): string | undefined {
  const value = headerValue(headers, name);
  if (value === undefined || !value.startsWith(SENTINEL_START) || !value.endsWith(SENTINEL_END)) {
    return value;
  }
  const encoded = value.slice(SENTINEL_START.length, -SENTINEL_END.length);
  const bytes = Buffer.from(encoded, 'base64');
  // Node skips what it can not decode; only canonical text comes out as it went in.
  if (bytes.toString('base64') === encoded) {
    try {
      return utf8.decode(bytes);
    } catch {
      // Not UTF-8: refused below.
    }
  }
  throw headerMismatch(name, 'is not valid Base64 of UTF-8 text');
}

/**
 * The opposite of `decodedHeaderValue`: text as it is where a header can carry it, else in Base64. What looks
 * like encoded text is encoded too.
 */
export function encodedHeaderValue(text: string): string {
  const isPlain = VISIBLE_ASCII.test(text) && trimOptionalWhitespace(text) === text && text !== '';
  if (isPlain && !text.startsWith(SENTINEL_START)) return text;
  return `${SENTINEL_START}${Buffer.from(text, 'utf8').toString('base64')}${SENTINEL_END}`;
}

/** The message does not repeat values: arguments can be confidential. */
export function headerMismatch(name: string, problem: string): LongshoreError {
  return new LongshoreError('HEADER_MISMATCH', `Header mismatch: ${name} ${problem}`, {
    details: { header: name },
  });
}

function nameAsSent(headers: RequestHeaders, name: string): string {
  const wanted = name.toLowerCase();
  return Object.keys(headers).find((key) => key.toLowerCase() === wanted) ?? wanted;
}

function trimOptionalWhitespace(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isOptionalWhitespace(value[start])) start += 1;
  while (end > start && isOptionalWhitespace(value[end - 1])) end -= 1;
  return value.slice(start, end);
}

function isOptionalWhitespace(char: string | undefined): boolean {
  return char === ' ' || char === '\t';
}
