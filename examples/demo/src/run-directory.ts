import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

/** A killed run's processes are gone by then. */
const LEFT_OVER_MS = 60_000;

/**
 * Makes a directory for this run alone, so that nothing an earlier one left unfinished goes on here, and
 * removes those of runs that were killed.
 *
 * @returns the directory, and how to remove it
 */
export function makeRunDirectory(home: string): { directory: string; remove: () => void } {
  mkdirSync(home, { recursive: true });
  for (const name of readdirSync(home)) {
    const pid = /^run-(\d+)$/.exec(name)?.[1];
    const left = path.join(home, name);
    if (
      pid !== undefined &&
      !exists(Number(pid)) &&
      Date.now() - statSync(left).mtimeMs > LEFT_OVER_MS
    ) {
      rmSync(left, { recursive: true, force: true });
    }
  }
  const directory = path.join(home, `run-${process.pid}`);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
