export { createPluginWorkspace, type PluginWorkspace } from './plugin-workspace.ts';
