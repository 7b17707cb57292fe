import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';

/** Where a plugin's code is, and what its package.json calls it. */
export interface PluginLocation {
  /** Absolute path of the module to import. */
  readonly entry: string;
  /** Absolute path of the folder that is the plugin's: of its package.json, else of its module. */
  readonly directory: string;
  readonly name: string;
  readonly version: string;
}

/** Where to look for plugins, absolute paths. */
export interface PluginSearch {
  /** Base of relative paths, and the second place to look for packages. */
  readonly currentDirectory: string;
  /** First place to look for packages. */
  readonly workerDirectory: string;
}

const Manifest = z.looseObject({
  name: z.string().optional(),
  version: z.string().optional(),
  main: z.string().optional(),
  exports: z.unknown().optional(),
});
type Manifest = z.infer<typeof Manifest>;

/** The conditions Node itself uses for `import`, minus its private ones. */
const CONDITIONS = new Set(['node', 'import', 'module-sync', 'default']);

const UNKNOWN_VERSION = '0.0.0';

const FOLDER = /^([./].*)\/\*$/;
const MODULE = /(?<!\.d)\.[cm]?[jt]s$/;

/**
 * What an entry of PLUGINS stands for: `./tools/*` for each module and each folder in `./tools`, but for hidden ones and
 * `node_modules`; any other entry for itself.
 *
 * @throws {Error} there is no such folder
 */
export function expandEntry(entry: string, currentDirectory: string): readonly string[] {
  const [, folder] = FOLDER.exec(entry) ?? [];
  if (folder === undefined) return [entry];
  const directory = path.resolve(currentDirectory, folder);
  if (!existsSync(directory)) throw new Error(`not found: there is no ${directory}`);
  return readdirSync(directory, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .filter((found) => !found.isFile() || MODULE.test(found.name))
    .map(({ name }) => `${folder}/${name}`)
    .sort();
}

/**
 * Finds the module behind an entry of PLUGINS: a path when it starts with `.` or `/` (a file, or a
 * folder with a package.json or an index.js), else a package in a node_modules folder.
 *
 * @throws {Error} with the reason when there is none
 */
export function resolvePlugin(specifier: string, search: PluginSearch): PluginLocation {
  if (specifier.startsWith('.') || path.isAbsolute(specifier)) {
    return resolvePath(specifier, search.currentDirectory);
  }
  const directory =
    findPackage(specifier, search.workerDirectory) ??
    findPackage(specifier, search.currentDirectory);
  if (directory === null) {
    throw new Error(
      `not found: no package of this name in the node_modules folders of ${search.workerDirectory} or ${search.currentDirectory}; install it, or write a path that starts with ./`,
    );
  }
  return describe(directory, specifier);
}

/** The folder that a plugin's files lie in: of the package.json that is above its module, else of its module. Without symbolic links. */
export function folderOf(entry: string): string {
  const own = path.dirname(realpathSync(entry));
  for (let folder = own; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, 'package.json'))) return folder;
    if (folder === path.dirname(folder)) return own;
  }
}

function resolvePath(specifier: string, currentDirectory: string): PluginLocation {
  const target = path.resolve(currentDirectory, specifier);
  const stats = statSync(target, { throwIfNoEntry: false });
  if (stats === undefined) throw new Error(`not found: there is no ${target}`);
  if (stats.isDirectory()) return describe(target, specifier);
  const manifest = manifestAbove(target, currentDirectory);
  return {
    entry: target,
    directory: path.dirname(target),
    name: manifest?.name ?? specifier,
    version: manifest?.version ?? UNKNOWN_VERSION,
  };
}

function describe(directory: string, specifier: string): PluginLocation {
  const manifest = readManifest(directory);
  const entry = path.resolve(directory, entryOf(manifest));
  if (!existsSync(entry)) {
    throw new Error(
      `not found: its entry ${entry} does not exist; name the module in "exports" of its package.json, or build it`,
    );
  }
  return {
    entry,
    directory,
    name: manifest?.name ?? specifier,
    version: manifest?.version ?? UNKNOWN_VERSION,
  };
}

function findPackage(name: string, from: string): string | null {
  for (let directory = from; ; directory = path.dirname(directory)) {
    const candidate = path.join(directory, 'node_modules', name);
    if (existsSync(path.join(candidate, 'package.json'))) return candidate;
    if (directory === path.dirname(directory)) return null;
  }
}

function entryOf(manifest: Manifest | null): string {
  const exported = pickExport(manifest?.exports);
  return exported ?? manifest?.main ?? 'index.js';
}

/** The target of the root export under Node's import conditions; null when there is none. */
function pickExport(exports: unknown): string | null {
  if (typeof exports === 'string') return exports;
  if (Array.isArray(exports)) {
    return exports.map(pickExport).find((target) => target !== null) ?? null;
  }
  if (typeof exports !== 'object' || exports === null) return null;
  if ('.' in exports) return pickExport(exports['.']);
  for (const [condition, target] of Object.entries(exports)) {
    if (!CONDITIONS.has(condition)) continue;
    const picked = pickExport(target);
    if (picked !== null) return picked;
  }
  return null;
}

/** The manifest of the package a file lies in; the current project's own does not count. */
function manifestAbove(file: string, currentDirectory: string): Manifest | null {
  let directory = path.dirname(file);
  while (!isInside(currentDirectory, directory)) {
    const manifest = readManifest(directory);
    if (manifest !== null) return manifest;
    directory = path.dirname(directory);
  }
  return null;
}

function isInside(inner: string, outer: string): boolean {
  const relative = path.relative(outer, inner);
  return relative === '' || !(relative.startsWith('..') || path.isAbsolute(relative));
}

function readManifest(directory: string): Manifest | null {
  const file = path.join(directory, 'package.json');
  if (!existsSync(file)) return null;
  try {
    return Manifest.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new Error(`${file} is not a valid package.json`, { cause });
  }
}
