import { parentPort, workerData } from 'node:worker_threads';
import type { PluginHost, Tool } from '@longshore/plugin';
import { loadPlugin } from '@longshore/plugin/host';
import { importWithin } from '../plugins/import-within.ts';
import { prepareTool, toolFailure } from '../requests/tool-handler.ts';
import { portableError } from './portable-error.ts';
import { ThreadContext } from './thread-context.ts';
import type { RunEnd, RunOrder, ThreadData, ThreadNotice } from './thread-messages.ts';

/*
 * A thread that runs isolated tools, one run at a time. It is told what to run on the parent port; all that
 * belongs to a run is said on the run's own port.
 */

/** As in the worker itself, which has loaded the same module before. */
const IMPORT_TIMEOUT_MS = 30_000;

/** The plugins of a thread, each imported when the first of its tools is run here. */
class ThreadTools {
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

const { directories, dataDir, fileLimits, network }: ThreadData = workerData;
const notify = (notice: ThreadNotice): void => parentPort?.postMessage(notice);
const tools = new ThreadTools({
  directories,
  dataDir,
  fileLimits,
  network,
  resourceUpdated: (uri) =>
    notify({ kind: 'resource-updated', uri: typeof uri === 'string' ? uri : null }),
  catalogueChanged: () => notify({ kind: 'catalogue-changed' }),
});

// Plugins leave promises behind; only what is thrown beside all promises ends the thread.
process.on('unhandledRejection', (reason) => {
  notify({ kind: 'stray', error: portableError(reason) });
});

parentPort?.on('message', (order: RunOrder) => {
  const context = new ThreadContext(order);
  void run(order, context).then((end) => context.end(end));
});

async function run(order: RunOrder, context: ThreadContext): Promise<RunEnd> {
  try {
    const tool = await tools.find(order.entry, order.tool);
    context.begin();
    const prepared = prepareTool(tool, order.arguments);
    if (prepared.kind === 'refused') return { kind: 'outcome', outcome: prepared.outcome };
    const returned = await prepared.run(context.ctx);
    return { kind: 'outcome', outcome: prepared.outcomeOf(returned) };
  } catch (thrown) {
    return { kind: 'failed', failure: toolFailure(thrown), error: portableError(thrown) };
  }
}
