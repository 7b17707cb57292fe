import { StringDecoder } from 'node:string_decoder';

/**
 * Splits UTF-8 into lines, without their ends; the last one need not have one.
 *
 * @param maxBytes of one line
 * @throws {Error} a line is longer
 */
export async function* boundedLines(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of source) {
    const parts = (rest + decoder.write(Buffer.from(chunk))).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) yield checked(part, maxBytes);
    checked(rest, maxBytes);
  }
  rest += decoder.end();
  if (rest !== '') yield checked(rest, maxBytes);
}

function checked(line: string, maxBytes: number): string {
  if (Buffer.byteLength(line) > maxBytes)
    throw new Error(`a line is longer than ${maxBytes} bytes`);
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
