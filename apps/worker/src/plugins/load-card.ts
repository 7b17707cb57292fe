import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { diagnosisOf, type PluginCard, pluginCardUri } from '@longshore/core';
import type { Tool, ToolUi } from '@longshore/plugin';
import { cardProblem, MAX_CARD_BYTES } from '@longshore/plugin/host';
import { toJsonObject } from '../json/to-json-value.ts';
import { folderOf, type PluginLocation } from './resolve-plugin.ts';

/**
 * The card of a tool, as it is now. Its URI is `ui://`, the name of the plugin, and a digest of what is in it: hosts keep pages
 * by their URIs, and two tools with one page have one card.
 *
 * @throws {Error} naming the tool: what its file has is no card, or it is not the plugin's
 */
export function loadCard(
  { name, ui = null }: Tool,
  plugin: Pick<PluginLocation, 'name' | 'entry'>,
): PluginCard | null {
  if (ui === null) return null;
  try {
    const html = ui.html ?? readCard(ui, folderOf(plugin.entry));
    const csp = toJsonObject(ui.csp ?? {});
    const digest = createHash('sha256')
      .update(JSON.stringify([html, csp]))
      .digest('hex');
    return { uri: pluginCardUri(plugin.name, digest), html, csp };
  } catch (cause) {
    throw new Error(`card of tool '${name}': ${diagnosisOf(cause)}`, { cause });
  }
}

function readCard({ file }: Extract<ToolUi, { file: URL }>, folder: string): string {
  const named = fileURLToPath(file);
  const found = realpathSync(named);
  const relative = path.relative(folder, found);
  if (relative.split(path.sep)[0] === '..' || path.isAbsolute(relative))
    throw new Error(`${named} is outside of the plugin's folder ${folder}: move it into it`);
  const html = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytesOf(found));
  const problem = cardProblem(html);
  if (problem !== null) throw new Error(`${named} ${problem}`);
  return html;
}

function bytesOf(file: string): Uint8Array {
  // Opening a pipe that nobody writes to would hang otherwise.
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile()) throw new Error(`${file} is no file`);
    if (stats.size > MAX_CARD_BYTES)
      throw new Error(`${file} has ${stats.size} bytes: hosts read at most ${MAX_CARD_BYTES}`);
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}
