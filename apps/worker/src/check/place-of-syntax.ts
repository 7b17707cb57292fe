import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Place } from './plugin-report.ts';

const SCRIPT = /\.[cm]?js$/;
/** Files looked at; of a larger plugin the message alone has to do. */
const MAX_FILES = 50;
const TIMEOUT_MS = 10_000;

/**
 * Where a JavaScript plugin has its syntax error: the error of an import does not say, `node --check` does.
 *
 * @param directory the author's code, absolute
 * @param entry absolute path, looked at first
 */
export function placeOfSyntax(directory: string, entry: string): Place | null {
  const files = [...new Set([entry, ...scriptsOf(directory)])].filter((file) => SCRIPT.test(file));
  for (const file of files.slice(0, MAX_FILES)) {
    const { status, stderr } = spawnSync(process.execPath, ['--check', file], {
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
    });
    if (status === 0 || !stderr.includes('SyntaxError')) continue;
    const line = /^\S*:(\d+)$/m.exec(stderr)?.[1];
    if (line !== undefined) return { file, line: Number(line), column: 1 };
  }
  return null;
}

function scriptsOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((found) => found.isFile())
    .map((found) => path.join(found.parentPath, found.name))
    .filter((file) => !path.relative(directory, file).split(path.sep).includes('node_modules'));
}
