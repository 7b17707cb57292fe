import { ToolError } from '@longshore/plugin';

/** Characters of a line, as of an item. */
const LONGEST_LINE = 1024 * 1024;

/** The lines of a text that comes in pieces, without their ends. @throws {ToolError} a line is too long */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let number = 0;
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      number += 1;
      yield line.endsWith('\r') ? line.slice(0, -1) : line;
    }
    if (rest.length > LONGEST_LINE) {
      throw new ToolError(`line ${number + 1} has more than ${LONGEST_LINE} characters`);
    }
  }
  if (rest !== '') yield rest;
}
