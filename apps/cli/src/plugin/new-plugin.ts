import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CliError, EXIT } from '../client/cli-error.ts';
import { near } from './near.ts';
import { scaffold } from './scaffold.ts';

/** What npm takes as the name of a package, without a scope. */
const PACKAGE_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export interface NewPluginOptions {
  /** The name, or a path whose last part is the name. */
  readonly word: string;
  readonly currentDirectory: string;
  /** Absolute paths of what the plugin is made for. */
  readonly pluginPackage: string;
  readonly cli: string;
  /** Writes to the user. */
  readonly print: (line: string) => void;
}

/**
 * Writes a plugin that works: a typed tool, its test, a README, and a link to `@longshore/plugin` where npm would make
 * one, so that nothing has to be installed.
 *
 * @throws {CliError} the name is none, or something is there already
 */
export function newPlugin(options: NewPluginOptions): void {
  const { word, currentDirectory, pluginPackage, cli, print } = options;
  const directory = path.resolve(currentDirectory, word);
  const name = path.basename(directory);
  if (!PACKAGE_NAME.test(name)) {
    throw new CliError(
      EXIT.usage,
      `'${name}' can not be the name of a package: use lower-case letters, digits and '-', such as ${suggestion(name)}`,
    );
  }
  if (existsSync(directory) && !isEmptyFolder(directory)) {
    throw new CliError(EXIT.usage, `${directory} is there already: name another folder`);
  }
  const files = scaffold(name, {
    pluginPackage: portable(path.relative(directory, pluginPackage)),
    cli: portable(path.relative(directory, cli)),
  });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(directory, file)), { recursive: true });
    writeFileSync(path.join(directory, file), text, { flag: 'wx' });
  }
  const isLinked = link(directory, pluginPackage);
  const shown = near(directory, currentDirectory);
  print(`made ${shown}: ${Object.keys(files).join(', ')}`);
  print('');
  print(`  cd ${shown}`);
  if (!isLinked) print('  npm install             # @longshore/plugin could not be linked');
  print('  npm test                # runs the tool in memory');
  print('  npm run check           # what a worker and a model will say to it');
  print('  npm run dev             # offers it to what runs here, and reloads on save');
}

function isEmptyFolder(directory: string): boolean {
  try {
    return readdirSync(directory).length === 0;
  } catch {
    return false;
  }
}

/** As `npm install` does for a `file:` dependency. A junction needs no rights on Windows. */
function link(directory: string, pluginPackage: string): boolean {
  const scope = path.join(directory, 'node_modules', '@longshore');
  try {
    mkdirSync(scope, { recursive: true });
    symlinkSync(pluginPackage, path.join(scope, 'plugin'), 'junction');
    return true;
  } catch {
    return false;
  }
}

function portable(file: string): string {
  return file.split(path.sep).join('/');
}

function suggestion(name: string): string {
  const mended = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 64);
  return mended === '' ? 'my-tools' : mended;
}
