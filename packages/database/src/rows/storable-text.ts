/** 4,096: a status line or an error for people. The whole text of a failure is in the outcome. */
const MAX_MESSAGE_CHARS = 4_096;

/**
 * A message as a text column takes it: NUL, which Postgres refuses, becomes U+FFFD, and what is beyond
 * 4,096 characters is cut off.
 */
export function storableText(text: string): string {
  const kept =
    text.length > MAX_MESSAGE_CHARS ? `${text.slice(0, MAX_MESSAGE_CHARS - 1)}\u2026` : text;
  return kept.replaceAll('\0', '\uFFFD');
}
