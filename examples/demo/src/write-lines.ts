import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

/** Writes lines to a new file, as fast as the disk takes them. */
export async function writeLines(file: string, lines: () => Generator<string>): Promise<void> {
  const stream = createWriteStream(file);
  let block: string[] = [];
  const flush = async (): Promise<void> => {
    if (!stream.write(`${block.join('\n')}\n`)) await once(stream, 'drain');
    block = [];
  };
  for (const line of lines()) {
    block.push(line);
    if (block.length === 2_000) await flush();
  }
  if (block.length > 0) await flush();
  stream.end();
  await once(stream, 'finish');
}
