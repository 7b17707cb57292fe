export { type LoadPluginsOptions, loadPlugins } from './plugins/load-plugins.ts';
export type { LoadedPrompt, LoadedResource, LoadedTool, Offers } from './plugins/offers.ts';
export type { PluginSearch } from './plugins/resolve-plugin.ts';
export { Worker, type WorkerOptions } from './worker.ts';
