import type { PluginHost } from '@longshore/plugin';
import { loadPlugins } from '../plugins/load-plugins.ts';
import { reasonOf } from '../plugins/reason-of.ts';
import {
  type PluginLocation,
  type PluginSearch,
  resolvePlugin,
} from '../plugins/resolve-plugin.ts';
import { checkOffers } from './check-offers.ts';
import { placeOfError } from './place-of-error.ts';
import { placeOfSyntax } from './place-of-syntax.ts';
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
    const message = reasonOf(error).replace(`plugin '${specifier}': `, '');
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
