const NAME_BYTES = 200;
/** Control and format characters, which make a name look like another one, and halves of characters. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/u;
/** RFC 6838, 4.2, with a charset at most. */
const MIME_TYPE =
  /^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,63}\/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,63}(; ?charset=[A-Za-z0-9_-]{1,40})?$/;

/**
 * A name of a file that is one on every system and in every address.
 * @throws {TypeError} saying what is wrong with it
 */
export function checkFileName(name: unknown): string {
  if (typeof name !== 'string') throw new TypeError('the name of a file is a text');
  const problem = problemOf(name);
  if (problem !== null)
    throw new TypeError(`${JSON.stringify(name)} is no name of a file: ${problem}`);
  return name;
}

/** @throws {TypeError} */
export function checkMimeType(mimeType: unknown): string {
  if (typeof mimeType === 'string' && MIME_TYPE.test(mimeType)) return mimeType;
  throw new TypeError(`${JSON.stringify(mimeType)} is no media type, such as text/csv`);
}

function problemOf(name: string): string | null {
  const bytes = new TextEncoder().encode(name).length;
  if (bytes === 0 || bytes > NAME_BYTES) return `it has ${bytes} bytes, not 1 to ${NAME_BYTES}`;
  if (/[/\\]/.test(name)) return 'it has a slash';
  if (HIDDEN.test(name)) return 'it has characters that are not seen';
  if (/^[. ]|[. ]$/.test(name)) return 'it begins or ends with a dot or a space';
  return null;
}
