import { diagnosisOf, LongshoreError, RESERVED_TOOL_NAMES } from '@longshore/core';
import type { PluginHost } from '@longshore/plugin';
import { loadPlugin, resourceAddress } from '@longshore/plugin/host';
import { announcedPrompt, announcedResource, announcedTool } from './announced-offers.ts';
import { importWithin } from './import-within.ts';
import { loadCard } from './load-card.ts';
import type { Offers } from './offers.ts';
import {
  expandEntry,
  type PluginLocation,
  type PluginSearch,
  resolvePlugin,
} from './resolve-plugin.ts';

/** Those that come along, loaded unless BUNDLED_PLUGINS=false. */
export const BUNDLED_PLUGINS: readonly string[] = [
  ...['@longshore/plugin-text', '@longshore/plugin-data'],
];

export interface LoadPluginsOptions {
  /** Package names or paths, as in PLUGINS. */
  readonly specifiers: readonly string[];
  readonly search: PluginSearch;
  readonly host: PluginHost;
  /** Longest time one plugin may take to import, in milliseconds. */
  readonly importTimeoutMs?: number;
}

/** Generous: a native module on a cold disk takes seconds, an import that never ends takes for ever. */
const IMPORT_TIMEOUT_MS = 30_000;

/** Imported plugins, which may offer other things later than now. */
export interface LoadedPlugins {
  /**
   * What the plugins offer at this moment.
   *
   * @throws {LongshoreError} PLUGIN_LOAD_FAILED, its message naming each plugin that failed and why
   */
  collect(): Offers;
}

type ImportedPlugin =
  | { readonly specifier: string; readonly module: unknown; readonly location: PluginLocation }
  | { readonly specifier: string; readonly failure: unknown };

/** Imports every plugin. What went wrong shows when their tools, prompts and resources are collected. */
export async function loadPlugins(options: LoadPluginsOptions): Promise<LoadedPlugins> {
  const imported: ImportedPlugin[] = [];
  // One after the other, so that a log reads in the order of PLUGINS.
  for (const entry of new Set(options.specifiers)) {
    imported.push(...(await importEntry(entry, options)));
  }
  return { collect: () => collect(imported, options.host) };
}

async function importEntry(entry: string, options: LoadPluginsOptions): Promise<ImportedPlugin[]> {
  const imported: ImportedPlugin[] = [];
  try {
    for (const specifier of expandEntry(entry, options.search.currentDirectory)) {
      imported.push(await importPlugin(specifier, options));
    }
  } catch (failure) {
    imported.push({ specifier: entry, failure });
  }
  return imported;
}

async function importPlugin(
  specifier: string,
  options: LoadPluginsOptions,
): Promise<ImportedPlugin> {
  try {
    const location = resolvePlugin(specifier, options.search);
    const timeoutMs = options.importTimeoutMs ?? IMPORT_TIMEOUT_MS;
    return { specifier, location, module: await importWithin(location.entry, timeoutMs) };
  } catch (failure) {
    return { specifier, failure };
  }
}

function collect(plugins: readonly ImportedPlugin[], host: PluginHost): Offers {
  const owners = new Map<string, string>();
  const loaded: Offers[] = [];
  const problems: string[] = [];
  const causes: unknown[] = [];
  for (const plugin of plugins) {
    try {
      const offers = collectOne(plugin, host);
      claimNames(offers, plugin.specifier, owners);
      loaded.push(offers);
    } catch (cause) {
      causes.push(cause);
      problems.push(`plugin '${plugin.specifier}': ${diagnosisOf(cause)}`);
    }
  }
  if (plugins.length === 0) problems.push('PLUGINS names no plugin');
  if (problems.length > 0) {
    throw new LongshoreError('PLUGIN_LOAD_FAILED', problems.join('\n'), { cause: causes[0] });
  }
  return {
    tools: loaded.flatMap(({ tools }) => tools),
    prompts: loaded.flatMap(({ prompts }) => prompts),
    resources: loaded.flatMap(({ resources }) => resources),
  };
}

function collectOne(plugin: ImportedPlugin, host: PluginHost): Offers {
  if ('failure' in plugin) throw plugin.failure;
  const { module, location } = plugin;
  const { tools, prompts, resources } = loadPlugin(module, host);
  const reserved = tools.find(({ name }) => RESERVED_TOOL_NAMES.has(name));
  if (reserved !== undefined) {
    throw new Error(
      `its tool '${reserved.name}' has a name the server keeps for itself: rename it`,
    );
  }
  return {
    tools: tools.map((tool) => {
      const card = loadCard(tool, location);
      const announced = announcedTool(tool, location, card);
      return { tool, announced, card, entry: location.entry };
    }),
    prompts: prompts.map((prompt) => ({ prompt, announced: announcedPrompt(prompt, location) })),
    resources: resources.map((resource) => ({
      resource,
      announced: announcedResource(resource, location),
    })),
  };
}

/**
 * Notes whose the names and addresses are.
 *
 * @param owners plugins by name or address, which this adds to
 * @throws {Error} another plugin has one of them
 */
function claimNames(offers: Offers, specifier: string, owners: Map<string, string>): void {
  const claims = [
    ...offers.tools.map(({ tool }) => `tool '${tool.name}' has the name`),
    ...offers.prompts.map(({ prompt }) => `prompt '${prompt.name}' has the name`),
    ...offers.resources.map(
      ({ resource }) => `resource '${resourceAddress(resource)}' has the address`,
    ),
  ];
  for (const claim of claims) {
    const other = owners.get(claim);
    if (other !== undefined) {
      const way = BUNDLED_PLUGINS.includes(other)
        ? 'rename it, or leave out those that come along with BUNDLED_PLUGINS=false'
        : 'load only one of the two';
      throw new Error(`its ${claim} of one of plugin '${other}': ${way}`);
    }
  }
  for (const claim of claims) owners.set(claim, specifier);
}
