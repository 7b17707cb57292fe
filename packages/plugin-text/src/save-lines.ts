import { writeFile } from 'node:fs/promises';
import type { PluginHost, ToolContext } from '@longshore/plugin';
import { createOutputFile } from '@longshore/plugin/files';

/**
 * Writes one JSON object a line.
 *
 * @throws {ToolError} a name that is none for a file
 */
export async function saveLines(
  host: PluginHost,
  ctx: ToolContext,
  name: string,
  values: readonly object[],
): Promise<{ readonly path: string; readonly bytes: number }> {
  const file = await createOutputFile(host, ctx, name);
  try {
    const lines = values.map((value) => `${JSON.stringify(value)}\n`);
    await writeFile(file.temporaryPath, lines, { flag: 'wx' });
    return { path: file.path, bytes: await file.commit() };
  } finally {
    await file.discard();
  }
}
