/** 4,096: a status line or an error for people. The whole text of a failure is in the outcome. */
const MAX_MESSAGE_CHARS = 4_096;

/**
 * A message as a text column takes it: NUL, which such a column refuses, is written out as `\u0000`, and what is
 * beyond 4,096 characters is cut off. Columns of type json hold it as it is.
 */
export function storableText(text: string): string {
  const written = text.replaceAll('\0', '\\u0000');
  return written.length > MAX_MESSAGE_CHARS
    ? `${written.slice(0, MAX_MESSAGE_CHARS - 1)}\u2026`
    : written;
}
