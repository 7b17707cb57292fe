/** Any half of a character: rare, and quick to look for. */
const SURROGATE = /[\ud800-\udfff]/;

/** Halves without their other half: with the u flag whole characters do not match. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

const REPLACEMENT = '\uFFFD';

/**
 * Text that UTF-8 can say: halves of characters, which strict parsers of clients refuse with all that is around
 * them, become the replacement character. NUL is text, and stays.
 */
export function wellFormed(text: string): string {
  return SURROGATE.test(text) ? text.replace(LONE_SURROGATE, REPLACEMENT) : text;
}

/** The first `maxCharacters` UTF-16 units of a text, never cutting a character in two. */
export function clipText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const last = text.charCodeAt(maxCharacters - 1);
  const cutsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, cutsPair ? maxCharacters - 1 : maxCharacters);
}
