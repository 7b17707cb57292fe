import { PluginDefinitionError } from './checks/definition-checks.ts';
import type { FileLimits } from './file-limits.ts';
import { checkMiddleware, type Middleware } from './middleware.ts';
import type { Prompt } from './prompt.ts';
import type { Resource } from './resource.ts';
import type { Tool } from './tool.ts';

/** Where tools may send requests to. A plugin that does so keeps to it, also after redirects. */
export interface NetworkGrant {
  /** Host names; `*.example.com` for all below one, `*` for all. Public addresses only. */
  readonly hosts: readonly string[];
  /** `name:port` of what may be reached on private addresses as well. */
  readonly privateHosts: readonly string[];
  /** How requests say who sends them, such as `longshore/1.0 (+mailto:ops@example.com)`. */
  readonly userAgent: string;
}

/** What the operator grants the plugins of a worker. Later grants are added as new members. */
export interface PluginHost {
  /** Directories that tools may read, absolute. Nothing outside is to be touched. */
  readonly directories: readonly string[];
  /**
   * Directory that tools may write to, absolute. It holds nothing but what tools wrote, all plugins
   * share it, and it may be read as if it were one of `directories`.
   */
  readonly dataDir: string;
  readonly fileLimits: FileLimits;
  readonly network: NetworkGrant;
  /** Tells clients that subscribed to this resource that its content changed, outside of any call. */
  resourceUpdated(uri: string): void;
  /**
   * Says that `tools`, `prompts` or `resources` of the plugin would return something else by now: the worker
   * soon calls them again, offers what they return, and clients hear of it. What runs goes on. Of the queues
   * only those are served that were there when the worker started.
   */
  catalogueChanged(): void;
}

/** What an author hands to `definePlugin`. */
export interface PluginDefinition {
  /** For operators and error messages, usually the package name. */
  readonly name: string;
  /** Runs around each run of its tools, the outermost first. */
  readonly middleware?: readonly Middleware[];
  /**
   * Makes the tools: when a worker starts, and again after `host.catalogueChanged()`. Do no I/O here: do it
   * when a tool runs.
   */
  tools?(host: PluginHost): readonly Tool[];
  /** Makes the prompts, likewise. */
  prompts?(host: PluginHost): readonly Prompt[];
  /** Makes the resources, likewise. */
  resources?(host: PluginHost): readonly Resource[];
}

/** The functions of a plugin that make something. */
export const PLUGIN_PARTS = ['tools', 'prompts', 'resources'] as const;

/** A checked plugin. */
export interface Plugin extends PluginDefinition {
  /** How a worker knows a plugin among a module's exports, whichever copy of this package made it. */
  readonly longshorePlugin: 1;
}

/**
 * Defines a plugin whose tools, prompts or resources depend on what the operator grants. A plugin that
 * needs nothing of the kind just exports them.
 *
 * @throws {PluginDefinitionError} no name, none of the functions
 */
export function definePlugin(definition: PluginDefinition): Plugin {
  if (typeof definition !== 'object' || definition === null) {
    throw new PluginDefinitionError(
      'definePlugin takes an object: definePlugin({ name, tools: (host) => [ ... ] })',
    );
  }
  const { name } = definition;
  if (typeof name !== 'string' || name.trim() === '') {
    throw new PluginDefinitionError(
      `plugin name ${JSON.stringify(name)}: use a text that operators will know it by`,
    );
  }
  const given = PLUGIN_PARTS.filter((part) => definition[part] !== undefined);
  for (const part of given) {
    if (typeof definition[part] !== 'function') {
      throw new PluginDefinitionError(
        `plugin '${name}': ${part} is no function: write ${part}: (host) => [ ... ]`,
      );
    }
  }
  if (given.length === 0) {
    throw new PluginDefinitionError(
      `plugin '${name}' has no tools function (nor prompts, nor resources): write tools: (host) => [ ... ]`,
    );
  }
  const parts = given.map((part) => [part, (host: PluginHost) => definition[part]?.(host)]);
  const { middleware = [] } = definition;
  checkMiddleware(`plugin '${name}'`, middleware);
  return { longshorePlugin: 1, name, middleware, ...Object.fromEntries(parts) };
}

/** True for what `definePlugin` returned, also from another copy of this package. */
export function isPlugin(value: unknown): value is Plugin {
  return (
    typeof value === 'object' &&
    value !== null &&
    'longshorePlugin' in value &&
    value.longshorePlugin === 1
  );
}
