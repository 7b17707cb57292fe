/** Any half of a character: rare, and quick to look for. */
const SURROGATE = /[\ud800-\udfff]/;

/** Halves without their other half: with the u flag whole characters do not match. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

const REPLACEMENT = '\uFFFD';

/**
 * Text as Postgres can hold it: NUL and lone surrogates, which neither text nor jsonb takes, become
 * the replacement character. One such character would fail the statement, and with it all the tasks
 * whose writes were grouped into it.
 */
export function storableText(text: string): string {
  const clean = text.includes('\0') ? text.replaceAll('\0', REPLACEMENT) : text;
  return SURROGATE.test(clean) ? clean.replace(LONE_SURROGATE, REPLACEMENT) : clean;
}

/** The first `maxCharacters` UTF-16 units of a text, never cutting a character in two. */
export function clipText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const last = text.charCodeAt(maxCharacters - 1);
  const cutsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, cutsPair ? maxCharacters - 1 : maxCharacters);
}
