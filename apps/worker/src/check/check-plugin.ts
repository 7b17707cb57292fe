import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { diagnosisOf } from '@longshore/core';
import type { PluginHost } from '@longshore/plugin';
import { loadPlugins } from '../plugins/load-plugins.ts';
import {
  type PluginLocation,
  type PluginSearch,
  resolvePlugin,
} from '../plugins/resolve-plugin.ts';
import { checkOffers } from './check-offers.ts';
import { placeOfError } from './place-of-error.ts';
import type { Place, PluginReport } from './plugin-report.ts';

export interface CheckPluginOptions {
  /** Package name or path, as in PLUGINS. */
  readonly specifier: string;
  readonly search: PluginSearch;
  readonly host: PluginHost;
  /** Longest time it may take to import, in milliseconds. */
  readonly importTimeoutMs?: number;
}

/** Loads a plugin as a worker does and says what is wrong with it. Never rejects. */
export async function checkPlugin(options: CheckPluginOptions): Promise<PluginReport> {
  const { specifier, search, host, importTimeoutMs } = options;
  let location: PluginLocation | null = null;
  try {
    location = resolvePlugin(specifier, search);
    const plugins = await loadPlugins({
      specifiers: [specifier],
      search,
      host,
      ...(importTimeoutMs === undefined ? {} : { importTimeoutMs }),
    });
    return { ...known(location), problem: null, offers: checkOffers(plugins.collect()) };
  } catch (error) {
    const message = diagnosisOf(error).replace(`plugin '${specifier}': `, '');
    const place = location === null ? null : placeIn(location, error);
    return { ...known(location), problem: { message, place }, offers: [] };
  }
}

function placeIn({ directory, entry }: PluginLocation, error: unknown): Place | null {
  const place = placeOfError(error, directory);
  return place ?? (isSyntaxError(error) ? placeOfSyntax(directory, entry) : null);
}

function isSyntaxError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'SyntaxError' || isSyntaxError(error.cause);
}

function known(location: PluginLocation | null): Pick<PluginReport, 'name' | 'version' | 'entry'> {
  if (location === null) return { name: null, version: null, entry: null };
  const { name, version, entry } = location;
  return { name, version, entry };
}

const SCRIPT = /\.[cm]?js$/;
/** Files looked at; of a larger plugin the message alone has to do. */
const MAX_FILES = 50;
const TIMEOUT_MS = 10_000;

/**
 * Where a JavaScript plugin has its syntax error: the error of an import does not say, `node --check` does.
 *
 * @param directory the author's code, absolute
 * @param entry absolute path, looked at first
 */
function placeOfSyntax(directory: string, entry: string): Place | null {
  const files = [...new Set([entry, ...scriptsOf(directory)])].filter((file) => SCRIPT.test(file));
  for (const file of files.slice(0, MAX_FILES)) {
    const { status, stderr } = spawnSync(process.execPath, ['--check', file], {
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
    });
    if (status === 0 || !stderr.includes('SyntaxError')) continue;
    const line = /^\S*:(\d+)$/m.exec(stderr)?.[1];
    if (line !== undefined) return { file, line: Number(line), column: 1 };
  }
  return null;
}

function scriptsOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((found) => found.isFile())
    .map((found) => path.join(found.parentPath, found.name))
    .filter((file) => !path.relative(directory, file).split(path.sep).includes('node_modules'));
}
