import path from 'node:path';
import type { Config } from '@longshore/config';
import type { Logger } from '@longshore/core';
import { CliError, EXIT } from '../client/cli-error.ts';
import type { ParsedCommand } from '../parsed-command.ts';
import { checkCommand } from './check-command.ts';
import { devCommand } from './dev-command.ts';
import { newPlugin } from './new-plugin.ts';

export interface PluginCommandOptions {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute paths: our own program, and the folder with apps and packages. */
  readonly cli: string;
  readonly root: string;
  readonly currentDirectory: string;
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
  readonly log: Logger;
  readonly stop: AbortSignal;
  readonly kill: AbortSignal;
}

/** Runs `plugin new`, `plugin check` or `plugin dev`. Expected errors are a line on standard error. */
export async function pluginCommand(
  command: ParsedCommand,
  options: PluginCommandOptions,
): Promise<number> {
  try {
    return (await COMMANDS[command.name]?.(command, options)) ?? EXIT.usage;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    options.printError(`longshore: ${error.message}`);
    return error.exitCode;
  }
}

const COMMANDS: Readonly<
  Record<string, (command: ParsedCommand, options: PluginCommandOptions) => Promise<number>>
> = {
  'plugin new': async (command, { root, ...options }) => {
    const pluginPackage = path.join(root, 'packages', 'plugin');
    newPlugin({ ...options, word: wordOf(command), pluginPackage });
    return 0;
  },
  'plugin check': (command, { root, stop, ...options }) =>
    checkCommand({
      ...options,
      word: wordOf(command),
      isJson: command.flag('json'),
      isStrict: command.flag('strict'),
      entry: checkEntry(root),
      signal: stop,
    }),
  'plugin dev': (command, { root, ...options }) => {
    const worker = path.join(root, 'apps', 'worker', 'dist', 'main.js');
    return devCommand({
      ...options,
      word: wordOf(command),
      entries: { worker, check: checkEntry(root) },
    });
  },
};

function wordOf({ positionals: [word = '.'] }: ParsedCommand): string {
  return word;
}

function checkEntry(root: string): string {
  return path.join(root, 'apps', 'worker', 'dist', 'check', 'main.js');
}
