import path from 'node:path';
import type { Config } from '@longshore/config';
import { CliError } from '../client/cli-error.ts';
import type { ParsedCommand } from '../parsed-command.ts';
import { checkCommand } from './check-command.ts';
import { newPlugin } from './new-plugin.ts';

export interface PluginCommandOptions {
  readonly config: Config;
  /** Absolute paths: our own program, and the folder with apps and packages. */
  readonly cli: string;
  readonly root: string;
  readonly currentDirectory: string;
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
  readonly stop: AbortSignal;
}

/** Runs `plugin new` or `plugin check`. Expected errors are a line on standard error. */
export async function pluginCommand(
  command: ParsedCommand,
  options: PluginCommandOptions,
): Promise<number> {
  const { config, cli, root, currentDirectory, print, printError, stop } = options;
  const [word = '.'] = command.positionals;
  try {
    if (command.name === 'plugin new') {
      const pluginPackage = path.join(root, 'packages', 'plugin');
      newPlugin({ word, currentDirectory, pluginPackage, cli, print });
      return 0;
    }
    return await checkCommand({
      word,
      isJson: command.flag('json'),
      isStrict: command.flag('strict'),
      currentDirectory,
      config,
      entry: path.join(root, 'apps', 'worker', 'dist', 'check', 'main.js'),
      print,
      signal: stop,
    });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    printError(`longshore: ${error.message}`);
    return error.exitCode;
  }
}
