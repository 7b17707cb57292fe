import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Place } from './plugin-report.ts';

/** `file:///a/b.ts:3:7`, `/a/b.ts:3:7` and `C:\a\b.ts:3:7`, as stacks and messages of loaders have them. */
const PLACE = /(file:\/\/\/[^\s()]+?|(?:\/|[A-Za-z]:\\)[^\s():]+):(\d+)(?::(\d+))?/g;

/** Our own code, which may lie below the author's folder when that is a checkout of the whole. */
const OURS = [
  path.join(import.meta.dirname, '..'),
  path.join(createRequire(import.meta.url).resolve('@longshore/plugin'), '..', '..'),
];

/**
 * The first place in the author's own code that an error or its causes name, the innermost cause first.
 *
 * @param directory the author's code, absolute; what is in its node_modules is not theirs
 */
export function placeOfError(error: unknown, directory: string): Place | null {
  if (!(error instanceof Error)) return null;
  const inner = placeOfError(error.cause, directory);
  if (inner !== null) return inner;
  for (const [, spot = '', line, column] of `${error.message}\n${error.stack}`.matchAll(PLACE)) {
    const file = spot.startsWith('file:') ? pathOf(spot) : spot;
    if (file === null || !isWithin(directory, file)) continue;
    if (OURS.some((ours) => isWithin(ours, file))) continue;
    return { file, line: Number(line), column: Number(column ?? 1) };
  }
  return null;
}

function pathOf(url: string): string | null {
  try {
    return fileURLToPath(url);
  } catch {
    return null;
  }
}

function isWithin(directory: string, file: string): boolean {
  const relative = path.relative(directory, file);
  if (relative === '' || path.isAbsolute(relative)) return false;
  return !relative.split(path.sep).some((part) => part === '..' || part === 'node_modules');
}
