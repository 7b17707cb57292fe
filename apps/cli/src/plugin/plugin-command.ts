import path from 'node:path';
import { checkCommand } from './check-command.ts';
import { devCommand } from './dev-command.ts';
import { newPlugin } from './new-plugin.ts';
import type { PluginContext } from './plugin-context.ts';

/*
 * `plugin new`, `plugin check` and `plugin dev`.
 *
 * Each gives the exit code and throws a CliError where its user is to mend something.
 */

export async function runNew({ root, ...context }: PluginContext, word: string): Promise<number> {
  newPlugin({ ...context, word, pluginPackage: path.join(root, 'packages', 'plugin') });
  return 0;
}

export function runCheckOf(
  { root, stop, ...context }: PluginContext,
  word: string,
  options: { readonly json?: true | undefined; readonly strict?: true | undefined },
): Promise<number> {
  return checkCommand({
    ...context,
    word,
    isJson: options.json === true,
    isStrict: options.strict === true,
    entry: checkEntry(root),
    signal: stop,
  });
}

export function runDev({ root, ...context }: PluginContext, word: string): Promise<number> {
  const worker = path.join(root, 'apps', 'worker', 'dist', 'main.js');
  return devCommand({ ...context, word, entries: { worker, check: checkEntry(root) } });
}

function checkEntry(root: string): string {
  return path.join(root, 'apps', 'worker', 'dist', 'check-main.js');
}
