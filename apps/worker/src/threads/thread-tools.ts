import type { PluginHost, Tool } from '@longshore/plugin';
import { loadPlugin } from '@longshore/plugin/host';
import { importWithin } from '../plugins/import-within.ts';

/** As in the worker itself, which has loaded the same module before. */
const IMPORT_TIMEOUT_MS = 30_000;

/** The plugins of a thread, each imported when the first of its tools is run here. */
export class ThreadTools {
  readonly #host: PluginHost;
  readonly #plugins = new Map<string, Promise<ReadonlyMap<string, Tool>>>();

  constructor(host: PluginHost) {
    this.#host = host;
  }

  /**
   * @param entry absolute path of the module that has the tool
   * @throws {Error} the module can not be loaded, or has no such tool in this thread
   */
  async find(entry: string, name: string): Promise<Tool> {
    let plugin = this.#plugins.get(entry);
    if (plugin === undefined) {
      plugin = this.#load(entry);
      this.#plugins.set(entry, plugin);
    }
    const tool = (await plugin).get(name);
    if (tool === undefined) {
      throw new Error(`${entry} offers no tool '${name}' when it is loaded in a thread`);
    }
    return tool;
  }

  async #load(entry: string): Promise<ReadonlyMap<string, Tool>> {
    const module: unknown = await importWithin(entry, IMPORT_TIMEOUT_MS);
    const { tools } = loadPlugin(module, this.#host);
    return new Map(tools.map((tool) => [tool.name, tool]));
  }
}
