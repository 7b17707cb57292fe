import { PluginDefinitionError } from './checks/definition-checks.ts';
import { explainEmptyModule, kindOfValue } from './explain-empty-module.ts';
import { isMiddleware, type Middleware, withMiddleware } from './middleware.ts';
import { isPlugin, PLUGIN_PARTS, type Plugin, type PluginHost } from './plugin.ts';
import { isPrompt, type Prompt } from './prompt.ts';
import { isResource, type Resource } from './resource.ts';
import { isTool, type Tool } from './tool.ts';

/** Everything a plugin module offers. */
export interface LoadedPlugin {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
}

type Part = (typeof PLUGIN_PARTS)[number];

/** What the three kinds are called, how they are recognised and made, and what is unique about each. */
const KINDS: {
  readonly [Name in Part]: {
    readonly one: string;
    readonly maker: string;
    readonly is: (value: unknown) => value is LoadedPlugin[Name][number];
    readonly identify: (offer: LoadedPlugin[Name][number]) => string;
    readonly clash: (id: string) => string;
  };
} = {
  tools: {
    one: 'tool',
    maker: 'defineTool',
    is: isTool,
    identify: (tool) => tool.name,
    clash: (id) => `two tools are named '${id}'`,
  },
  prompts: {
    one: 'prompt',
    maker: 'definePrompt',
    is: isPrompt,
    identify: (prompt) => prompt.name,
    clash: (id) => `two prompts are named '${id}'`,
  },
  resources: {
    one: 'resource',
    maker: 'defineResource',
    is: isResource,
    identify: resourceAddress,
    clash: (id) => `two resources have the address '${id}'`,
  },
};

/** The URI or URI template of a resource. */
export function resourceAddress({ address }: Resource): string {
  return address.kind === 'uri' ? address.uri : address.template;
}

/**
 * Picks the tools, prompts and resources out of an imported plugin module: every export that `defineTool`,
 * `definePrompt` or `defineResource` made, and those of every export that `definePlugin` made, whatever
 * the exports are called. Tools run inside of the module's middleware. Other exports are ignored.
 *
 * @param module the namespace that `await import(...)` returned
 * @returns at least one of them, in the order of the export names; one exported twice comes once
 * @throws {PluginDefinitionError} none, two of one name or address, a plugin one of whose functions failed, two
 *   exports of middleware
 */
export function loadPlugin(module: unknown, host: PluginHost): LoadedPlugin {
  if (typeof module !== 'object' || module === null) {
    throw new PluginDefinitionError(
      `a plugin is a module that exports tools, prompts or resources, not ${kindOfValue(module)}`,
    );
  }
  const exported = Object.entries(module);
  const middleware = middlewareOf(exported);
  const loaded = {
    tools: collect('tools', exported, host).map((tool) => withMiddleware(tool, ...middleware)),
    prompts: collect('prompts', exported, host),
    resources: collect('resources', exported, host),
  };
  if (PLUGIN_PARTS.every((part) => loaded[part].length === 0)) {
    throw new PluginDefinitionError(explainEmptyModule(module));
  }
  return loaded;
}

/** The middleware of a module, which it exports at most once: exports have no order of their own. */
function middlewareOf(exported: readonly (readonly [string, unknown])[]): readonly Middleware[] {
  const found = new Map(
    exported.flatMap(([name, value]) => (isMiddleware(value) ? [[value, name] as const] : [])),
  );
  const [first, second] = found;
  if (second !== undefined) {
    throw new PluginDefinitionError(
      `exports '${first?.[1]}' and '${second[1]}' are both middleware: make it one, in the order you want: defineMiddleware(outer, inner)`,
    );
  }
  return first?.[0].chain ?? [];
}

function collect<Name extends Part>(
  part: Name,
  exported: readonly (readonly [string, unknown])[],
  host: PluginHost,
): readonly LoadedPlugin[Name][number][] {
  const kind = KINDS[part];
  const found = new Map<
    string,
    { readonly offer: LoadedPlugin[Name][number]; readonly from: string }
  >();
  const seen = new Set<unknown>();
  for (const [name, value] of exported) {
    // One plugin under two names would make everything twice.
    if (seen.has(value)) continue;
    seen.add(value);
    for (const offer of offersOf(part, name, value, host)) {
      const id = kind.identify(offer);
      const other = found.get(id);
      if (other !== undefined && other.offer !== offer) {
        throw new PluginDefinitionError(
          `${kind.clash(id)} (exports '${other.from}' and '${name}'): rename one`,
        );
      }
      found.set(id, { offer, from: name });
    }
  }
  return [...found.values()].map(({ offer }) => offer);
}

function offersOf<Name extends Part>(
  part: Name,
  name: string,
  value: unknown,
  host: PluginHost,
): readonly LoadedPlugin[Name][number][] {
  const kind = KINDS[part];
  if (kind.is(value)) return [value];
  if (!isPlugin(value) || value[part] === undefined) return [];
  const offers = made(part, name, value, host);
  const strangers = offers.findIndex((offer) => !kind.is(offer));
  if (strangers !== -1) {
    throw new PluginDefinitionError(
      `${part}(host) of plugin '${value.name}': element ${strangers} is ${kindOfValue(offers[strangers])}: make each ${kind.one} with ${kind.maker}({ ... })`,
    );
  }
  const right = offers.filter(kind.is);
  const ids = right.map(kind.identify);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) {
    throw new PluginDefinitionError(
      `in plugin '${value.name}' ${kind.clash(repeated)}: rename one`,
    );
  }
  const { middleware = [] } = value;
  return right.map((offer) => (isTool(offer) ? withMiddleware(offer, ...middleware) : offer));
}

/** What a function of a plugin returned, when it is an array with something in it. */
function made(part: Part, name: string, plugin: Plugin, host: PluginHost): readonly unknown[] {
  let offers: unknown;
  try {
    offers = plugin[part]?.(host);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PluginDefinitionError(`${part}(host) of plugin '${plugin.name}' failed: ${reason}`, {
      cause,
    });
  }
  if (!Array.isArray(offers)) {
    // Its rejection, if any, is not the mistake we report, and must not end the process.
    if (offers instanceof Promise) offers.catch(() => {});
    throw new PluginDefinitionError(
      `${part}(host) of plugin '${plugin.name}' (export '${name}') returned ${kindOfValue(offers)}: return an array of ${part}, not a promise`,
    );
  }
  if (offers.length === 0) {
    throw new PluginDefinitionError(`plugin '${plugin.name}' returned no ${part}`);
  }
  return offers;
}
