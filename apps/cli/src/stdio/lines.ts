import { MemberTexts } from '../wire/member-texts.ts';

/** A line of input, or what could be told of one that was too long to be kept. */
export type Line = { readonly text: string } | { readonly tooLong: MemberTexts };

const NEWLINE = 0x0a;

/**
 * Splits a stream of bytes at its newlines. No more than `maxBytes` of a line are kept: the rest of a longer
 * one is read and dropped. A last line without newline counts.
 */
export async function* readLines(
  input: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Line> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  let tooLong: MemberTexts | null = null;
  const keep = (part: Uint8Array): void => {
    bytes += part.length;
    parts.push(part);
    if (bytes <= maxBytes) return;
    tooLong ??= new MemberTexts();
    for (const each of parts) tooLong.push(each);
    parts = [];
  };
  const take = (): Line => {
    const line = tooLong === null ? { text: textOf(parts) } : { tooLong };
    parts = [];
    bytes = 0;
    tooLong = null;
    return line;
  };
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      yield take();
    }
    keep(chunk.subarray(start));
  }
  if (bytes > 0) yield take();
}

function textOf(parts: readonly Uint8Array[]): string {
  return Buffer.concat(parts).toString('utf8');
}
