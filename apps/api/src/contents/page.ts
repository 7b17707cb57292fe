import type { JsonObject } from '@longshore/core';

/** Types that are text whatever their first half is, after the charset is taken off. */
const TEXT = /^(text\/|application\/(.*\+)?(json|xml|yaml|toml|javascript|x-ndjson|jsonl|sql)$)/;

export function isText(mimeType: string): boolean {
  return TEXT.test(mimeType.split(';')[0]?.trim().toLowerCase() ?? '');
}

/** Bytes of a page that fit into `budget` bytes of an answer: base64 takes a third more. */
export function pageBytes(mimeType: string, budget: number): number {
  return isText(mimeType) ? budget : Math.floor(budget / 4) * 3;
}

/**
 * A page as `text`, when it is one, else as `blob`. A character that the end of the page splits is left to
 * the next one.
 *
 * @param isLast the content ends with these bytes
 * @returns with the bytes it took
 */
export function pageContent(
  bytes: Uint8Array,
  mimeType: string,
  isLast: boolean,
): { readonly body: JsonObject; readonly taken: number } {
  if (isText(mimeType)) {
    const whole = isLast ? bytes : bytes.subarray(0, lastWhole(bytes));
    const text = decoded(whole);
    if (text !== null && (whole.length > 0 || bytes.length === 0)) {
      return { body: { text }, taken: whole.length };
    }
  }
  return { body: { blob: Buffer.from(bytes).toString('base64') }, taken: bytes.length };
}

const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decoded(bytes: Uint8Array): string | null {
  try {
    return DECODER.decode(bytes);
  } catch {
    return null;
  }
}

/** Where the last character that is there whole ends. */
function lastWhole(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const needed = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return needed <= back ? bytes.length : bytes.length - back;
  }
  return bytes.length;
}
