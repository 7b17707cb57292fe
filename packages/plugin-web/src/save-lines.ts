import { open } from 'node:fs/promises';
import type { PluginHost, ToolContext } from '@longshore/plugin';
import { createOutputFile } from '@longshore/plugin/files';

/** Written at once, in UTF-16 units. */
const BLOCK_LENGTH = 65_536;

/**
 * Writes one JSON object a line.
 *
 * @throws {ToolError} a name that is none for a file
 */
export async function saveLines(
  host: PluginHost,
  ctx: ToolContext,
  name: string,
  values: AsyncIterable<object>,
): Promise<{ readonly path: string; readonly bytes: number }> {
  const file = await createOutputFile(host, ctx, name);
  try {
    const handle = await open(file.temporaryPath, 'wx');
    try {
      let lines = '';
      for await (const value of values) {
        lines += `${JSON.stringify(value)}\n`;
        if (lines.length < BLOCK_LENGTH) continue;
        await handle.write(lines);
        lines = '';
      }
      await handle.write(lines);
    } finally {
      await handle.close();
    }
    return { path: file.path, bytes: await file.commit() };
  } finally {
    await file.discard();
  }
}
