import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import type { PluginHost } from '../plugin.ts';
import type { ToolContext } from '../tool-context.ts';
import { ToolError } from '../tool-error.ts';
import type { AllowedFile, ListedFile } from './allowed-file.ts';
import { isPattern, type Listing, listFiles } from './list-files.ts';
import { principalDirectory } from './output-file.ts';

/** A directory as it was given and as it really is, without symbolic links. */
interface Root {
  readonly given: string;
  readonly real: string;
  /** What is not to be read through this root, as it really is. */
  readonly except: string | null;
}

/** Where a path may lie: the real file, and what it is called below its root. */
interface Location {
  readonly path: string;
  readonly name: string;
}

/**
 * The guard between paths that a model sends and the disk. A file is readable when it lies, symbolic
 * links followed, inside one of the directories; anything else is refused with a ToolError that does
 * not tell whether it exists.
 *
 * - Relative paths are looked up in each directory in turn, absolute ones must lie inside one.
 * - Names that start with a dot are refused below a directory: `.env`, `.git` and the server's own
 *   `.longshore` are nobody's input. A directory that is itself called so is fine.
 * - Only regular files: no devices, sockets or pipes, whose reading might never end.
 * - A file swapped for a link between the check and the opening is noticed: what was opened is checked
 *   again. A hard link can not be told from the file it shares, so whoever may write into an allowed
 *   directory may link into it what they can read anyway.
 */
export class AllowedDirectories {
  readonly #directories: readonly string[];
  readonly #except: string | null;

  /**
   * @param directories absolute paths; those that do not exist are passed over
   * @param except a directory that is not to be read, but for those of `directories` that lie in it
   */
  constructor(directories: readonly string[], except: string | null = null) {
    this.#directories = directories.map((directory) => resolve(directory));
    this.#except = except === null ? null : resolve(except);
  }

  /**
   * What a call may read: the host's directories, and what tools wrote for the same principal. What they
   * wrote for others stays theirs, also where the host's directories contain it.
   */
  static of(
    host: Pick<PluginHost, 'directories' | 'dataDir'>,
    ctx: Pick<ToolContext, 'principal'>,
  ): AllowedDirectories {
    return new AllowedDirectories(
      [...host.directories, principalDirectory(host, ctx)],
      host.dataDir,
    );
  }

  /**
   * Opens a file for reading.
   *
   * @throws {ToolError} outside the directories, hidden, missing, not a regular file, not readable
   */
  async open(path: string): Promise<AllowedFile> {
    const { path: real, name } = await this.#locate(path);
    let handle: FileHandle;
    try {
      // O_NONBLOCK: opening a pipe nobody writes to would hang otherwise; files do not mind.
      handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (cause) {
      throw readError(name, cause);
    }
    try {
      const stats = await handle.stat();
      if (stats.isDirectory()) throw new ToolError(`${name} is a directory, not a file`);
      if (!stats.isFile()) throw new ToolError(`${name} is not a regular file`);
      await this.#assertOpenedInside(path, real, handle);
      return {
        name,
        path: real,
        sizeBytes: stats.size,
        modifiedAt: stats.mtime,
        handle,
        close: () => handle.close(),
      };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /**
   * Lists the files a path means: a file itself, all files below a directory, or the matches of a
   * pattern (`*`, `?`, and `**` for any depth). Sorted by name; hidden names and symbolic links that
   * the walk meets are left out.
   *
   * @param maxFiles more than that is an error, so that nobody works on a part unknowingly
   * @throws {ToolError} nothing found, too many, or as `open`
   */
  async list(
    wanted: string,
    options: { readonly maxFiles: number; readonly signal: AbortSignal },
  ): Promise<readonly ListedFile[]> {
    const path = wanted.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
    if (!isPattern(path)) {
      const { path: real } = await this.#locate(path);
      const stats = await stat(real);
      if (!stats.isDirectory()) return [{ name: path, sizeBytes: stats.size }];
      return this.#walk({ ...options, directory: real, given: path, pattern: ['**', '*'] });
    }
    const segments = path.split('/');
    const first = segments.findIndex(isPattern);
    const given = segments.slice(0, first).join('/') || (path.startsWith('/') ? '/' : '.');
    const { path: directory } = await this.#locate(given);
    return this.#walk({ ...options, directory, given, pattern: segments.slice(first) });
  }

  async #walk(listing: Omit<Listing, 'accepts'>): Promise<readonly ListedFile[]> {
    const roots = await this.#roots();
    return listFiles({ ...listing, accepts: (path) => allowed(roots, path) });
  }

  /** @throws {ToolError} when no directory allows it */
  async #locate(path: string): Promise<Location> {
    if (path === '') throw new ToolError('the path is empty');
    if (path.includes('\0')) throw new ToolError('the path contains a NUL character');
    const roots = await this.#roots();
    let failure: ToolError | null = null;
    for (const root of roots) {
      const inside = lexicallyInside(root, path);
      if (inside === null) continue;
      if (isHidden(inside)) {
        failure ??= new ToolError(
          `${shown(path)} is hidden: names that start with a dot are refused`,
        );
        continue;
      }
      try {
        const real = await realpath(join(root.real, inside));
        if (allowed(roots, real)) return { path: real, name: inside.split(sep).join('/') || '.' };
        failure ??= outside(path);
      } catch (cause) {
        // A link that leads outside must not tell what is there, so look where the path ends up.
        const nearest = await nearestReal(join(root.real, inside));
        failure ??= allowed(roots, nearest) ? readError(shown(path), cause) : outside(path);
      }
    }
    throw failure ?? outside(path);
  }

  async #roots(): Promise<readonly Root[]> {
    const roots: Root[] = [];
    const except =
      this.#except === null ? null : await realpath(this.#except).catch(() => this.#except);
    for (const given of this.#directories) {
      const real = await realpath(given).catch(() => null);
      if (real === null) continue;
      const rest = except === null ? null : below(except, real);
      const liesInException = rest !== null && rest !== '';
      roots.push({ given, real, except: liesInException ? null : except });
    }
    if (roots.length === 0) {
      throw new ToolError('none of the allowed directories exists on this worker');
    }
    return roots;
  }

  /** The path may have changed its meaning since it was checked, so ask what is really open. */
  async #assertOpenedInside(path: string, real: string, handle: FileHandle): Promise<void> {
    const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => null);
    if (opened !== null) {
      if (opened === real) return;
      throw changed(path);
    }
    // Without /proc: the same path must still lead, free of links, to the file that is open.
    const [again, at, held] = await Promise.all([realpath(real), stat(real), handle.stat()]);
    if (again !== real || at.ino !== held.ino || at.dev !== held.dev) throw changed(path);
  }
}

/** The rest of `path` below the root, by its text alone; null when it does not lie there. */
function lexicallyInside(root: Root, path: string): string | null {
  if (!isAbsolute(path)) return below(root.real, join(root.real, normalize(path)));
  const absolute = normalize(path);
  return below(root.given, absolute) ?? below(root.real, absolute);
}

function below(root: string, path: string): string | null {
  const rest = relative(root, path);
  return rest === '..' || rest.startsWith(`..${sep}`) || isAbsolute(rest) ? null : rest;
}

function allowed(roots: readonly Root[], real: string): boolean {
  return roots.some((root) => {
    const rest = below(root.real, real);
    if (rest === null || isHidden(rest)) return false;
    return root.except === null || below(root.except, real) === null;
  });
}

/** The deepest directory on the way to `path` that exists, without symbolic links. */
async function nearestReal(path: string): Promise<string> {
  let directory = dirname(path);
  for (;;) {
    const real = await realpath(directory).catch(() => null);
    if (real !== null) return real;
    directory = dirname(directory);
  }
}

function isHidden(rest: string): boolean {
  return rest.split(sep).some((segment) => segment.startsWith('.'));
}

function outside(path: string): ToolError {
  return new ToolError(
    `${shown(path)} is outside the directories this server may read; use a path relative to them`,
  );
}

function changed(path: string): ToolError {
  return new ToolError(`${shown(path)} changed while it was being opened; try again`);
}

function readError(name: string, cause: unknown): ToolError {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : null;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new ToolError(`${name} does not exist`, { cause });
    case 'EACCES':
    case 'EPERM':
      return new ToolError(`${name} is not readable for this server`, { cause });
    case 'ELOOP':
      return new ToolError(`${name} goes through too many symbolic links`, { cause });
    case 'ENAMETOOLONG':
      return new ToolError(`${name} is too long for a path`, { cause });
    case 'ENXIO':
      return new ToolError(`${name} is not a regular file`, { cause });
    default:
      return new ToolError(`${name} can not be opened (${String(code)})`, { cause });
  }
}

/** Long paths are cut in messages. */
function shown(path: string): string {
  return path.length <= 200 ? path : `${path.slice(0, 200)}…`;
}
