/** What working on a JSON text takes, beside its bytes. */
export interface JsonShape {
  /** Objects and arrays within one another, at the deepest place. */
  readonly levels: number;
  /** Of all objects. A name of its own makes a member some ten times as dear as an item of an array. */
  readonly members: number;
  /** Members, and items of arrays; an empty object or array counts as if there were one in it. */
  readonly values: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/**
 * Looks over the bytes of a JSON text once, at a small part of what parsing them takes. Of bytes that are no
 * JSON anything may be said: they can not be parsed.
 */
export function measureJson(bytes: Buffer): JsonShape {
  let [level, levels, members, values] = [0, 0, 0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === COMMA) values += 1;
    else if (byte === COLON) members += 1;
    // A bracket or brace, which differ in one bit.
    else if (byte === 0x5b || byte === 0x7b) {
      values += 1;
      level += 1;
      if (level > levels) levels = level;
    } else if (byte === 0x5d || byte === 0x7d) level -= 1;
  }
  return { levels, members, values };
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
