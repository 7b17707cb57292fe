import { statSync } from 'node:fs';
import path from 'node:path';
import { CliError, EXIT } from '../client/cli-error.ts';

/** The plugin a command is about. */
export interface PluginTarget {
  /** As in PLUGINS: an absolute path, or the name of a package. */
  readonly specifier: string;
  /** What it is made of, when it is a path: a folder with all that is in it, or a module. Null for packages. */
  readonly source: { readonly path: string; readonly isFolder: boolean } | null;
}

/**
 * @param word what the user typed: a path, or the name of an installed package; what is there as a path is one
 * @throws {CliError} there is no such path
 */
export function pluginTarget(word: string, currentDirectory: string): PluginTarget {
  const absolute = path.resolve(currentDirectory, word);
  const stats = statSync(absolute, { throwIfNoEntry: false });
  if (stats !== undefined) {
    return { specifier: absolute, source: { path: absolute, isFolder: stats.isDirectory() } };
  }
  if (word.startsWith('.') || path.isAbsolute(word)) {
    throw new CliError(
      EXIT.usage,
      `there is no ${absolute}: name a folder with a package.json, or a module`,
    );
  }
  return { specifier: word, source: null };
}
