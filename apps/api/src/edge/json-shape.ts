/** What working on a JSON text takes, beside its bytes. */
export interface JsonShape {
  /** Objects and arrays within one another, at the deepest place. */
  readonly levels: number;
  /**
   * Different names of members, in all objects together, spelled as they are. One that was not there before is some
   * ten times as dear to parse as a value: rows of the same few names are not.
   */
  readonly names: number;
  /** Members of objects, and items of arrays; an empty object or array counts as if there were one in it. */
  readonly values: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/**
 * Looks over the bytes of a JSON text once, at a small part of what parsing them takes. Of bytes that are no
 * JSON anything may be said: they can not be parsed.
 *
 * @param maxNames after one more the names are not counted any further
 */
export function measureJson(bytes: Buffer, maxNames: number): JsonShape {
  let [level, levels, values, start, end] = [0, 0, 0, 0, 0];
  const names = new Set<string>();
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      start = at;
      at = endOfString(bytes, at);
      end = at;
    } else if (byte === COMMA) values += 1;
    else if (byte === COLON) {
      if (names.size <= maxNames) names.add(bytes.toString('latin1', start, end));
    }
    // A bracket or brace, which differ in one bit.
    else if (byte === 0x5b || byte === 0x7b) {
      values += 1;
      level += 1;
      if (level > levels) levels = level;
    } else if (byte === 0x5d || byte === 0x7d) level -= 1;
  }
  return { levels, names: names.size, values };
}

/** @returns where the quote is that ends the string which begins at `start`, or the end of the text */
function endOfString(bytes: Buffer, start: number): number {
  let at = start;
  for (;;) {
    at = bytes.indexOf(QUOTE, at + 1);
    if (at < 0) return bytes.length;
    let backslashes = 0;
    while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
}
