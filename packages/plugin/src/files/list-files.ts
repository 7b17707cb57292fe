import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolError } from '../tool-error.ts';
import type { ListedFile } from './allowed-file.ts';

/** Entries looked at before a walk gives up, so that a pattern over a whole disk ends. */
const MAX_ENTRIES = 1_000_000;

export interface Listing {
  /** Real path of the directory to walk. */
  readonly directory: string;
  /** What the caller called that directory; names in the result start with it. */
  readonly given: string;
  /** Pattern of the rest, by segments. */
  readonly pattern: readonly string[];
  readonly maxFiles: number;
  /** Whether a path below `directory` may be looked at. */
  readonly accepts: (path: string) => boolean;
  readonly signal: AbortSignal;
}

/** True when the path has wildcards. A file whose own name has one can not be named. */
export function isPattern(path: string): boolean {
  return path.includes('*') || path.includes('?');
}

/**
 * Walks a directory for the files that match, sorted by name. Hidden names and symbolic links are left
 * out. Matching takes time proportional to the names, whatever the pattern.
 *
 * @throws {ToolError} nothing found, or too much
 */
export async function listFiles(listing: Listing): Promise<readonly ListedFile[]> {
  const { given, maxFiles, signal } = listing;
  const prefix = given === '.' || given === '/' ? given.replace('.', '') : `${given}/`;
  const found: ListedFile[] = [];
  const pending = [{ path: listing.directory, name: '', states: start(listing.pattern) }];
  let entries = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const entry of await readEntries(next.path)) {
      signal.throwIfAborted();
      entries += 1;
      if (entries > MAX_ENTRIES) {
        throw new ToolError(
          `${given} holds more than ${MAX_ENTRIES} entries; name a smaller folder`,
        );
      }
      if (entry.name.startsWith('.')) continue;
      const path = join(next.path, entry.name);
      if (!listing.accepts(path)) continue;
      const name = `${next.name}${entry.name}`;
      const states = step(listing.pattern, next.states, entry.name);
      if (entry.isDirectory()) {
        if (states.size > 0) pending.push({ path, name: `${name}/`, states });
      } else if (entry.isFile() && states.has(listing.pattern.length)) {
        if (found.length === maxFiles) {
          throw new ToolError(`${given} holds more than ${maxFiles} matching files; name fewer`);
        }
        const stats = await lstat(path).catch(() => null);
        // Gone since the directory was read: as if it had never been there.
        if (stats !== null) found.push({ name: `${prefix}${name}`, sizeBytes: stats.size });
      }
    }
  }
  if (found.length === 0) throw new ToolError(`no file in ${given} matches`);
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A directory that vanished or may not be read holds nothing for us. */
async function readEntries(path: string): Promise<readonly Dirent[]> {
  return readdir(path, { withFileTypes: true }).catch(() => []);
}

/** The positions in the pattern that a walk may be at; the length of the pattern means matched. */
function start(pattern: readonly string[]): ReadonlySet<number> {
  return skipDoubleStars(pattern, new Set([0]));
}

function step(
  pattern: readonly string[],
  states: ReadonlySet<number>,
  name: string,
): ReadonlySet<number> {
  const next = new Set<number>();
  for (const state of states) {
    const segment = pattern[state];
    if (segment === undefined) continue;
    if (segment === '**') next.add(state);
    else if (matches(segment, name)) next.add(state + 1);
  }
  return skipDoubleStars(pattern, next);
}

/** `**` also stands for no directory at all. */
function skipDoubleStars(pattern: readonly string[], states: Set<number>): ReadonlySet<number> {
  for (const state of states) if (pattern[state] === '**') states.add(state + 1);
  return states;
}

/**
 * Matches one name against `*` and `?`, without backtracking further than the last `*`, so no pattern
 * takes more than the product of both lengths.
 */
function matches(pattern: string, name: string): boolean {
  const wanted = [...pattern];
  const given = [...name];
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let index = 0; index < given.length; ) {
    if (wanted[at] === '*') {
      star = at;
      resume = index;
      at += 1;
    } else if (wanted[at] === '?' || wanted[at] === given[index]) {
      at += 1;
      index += 1;
    } else if (star !== -1) {
      at = star + 1;
      resume += 1;
      index = resume;
    } else {
      return false;
    }
  }
  return wanted.slice(at).every((character) => character === '*');
}
