import { open } from 'node:fs/promises';
import type { PluginHost } from '../plugin.ts';
import type { ToolContext } from '../tool-context.ts';
import { createOutputFile } from './output-file.ts';

/** Written at once, in UTF-16 units. */
const BLOCK_LENGTH = 65_536;

/**
 * Writes one JSON object a line into a file in the output directory, which is there when all of it is.
 *
 * @throws {ToolError} a name that is none for a file, or too much for one
 */
export async function saveLines(
  host: Pick<PluginHost, 'dataDir' | 'fileLimits'>,
  ctx: ToolContext,
  name: string,
  values: Iterable<object> | AsyncIterable<object>,
): Promise<{ readonly path: string; readonly bytes: number }> {
  const file = await createOutputFile(host, ctx, name);
  try {
    const handle = await open(file.temporaryPath, 'w');
    try {
      let lines = '';
      let bytes = 0;
      const write = async (): Promise<void> => {
        bytes += Buffer.byteLength(lines);
        file.grow(bytes);
        await handle.write(lines);
        lines = '';
      };
      for await (const value of values) {
        lines += `${JSON.stringify(value)}\n`;
        if (lines.length < BLOCK_LENGTH) continue;
        await write();
      }
      await write();
    } finally {
      await handle.close();
    }
    return { path: file.path, bytes: await file.commit() };
  } finally {
    await file.discard();
  }
}
