export { limitedNode } from './limited-node.ts';
export { pluginEnvironment } from './plugin-environment.ts';
export { ProcessFailed, type ProcessOptions, runProcess } from './run-process.ts';
export { runScript, type ScriptOptions } from './run-script.ts';
