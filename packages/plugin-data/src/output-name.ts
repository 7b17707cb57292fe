import { basename } from 'node:path';
import { ToolError } from '@longshore/plugin';
import type { Format } from './file-format.ts';

const EXTENSIONS: Readonly<Record<Format, string>> = {
  csv: 'csv',
  json: 'jsonl',
  parquet: 'parquet',
};

/**
 * The name of a file with the ending of another format, in characters that file names of ours have.
 *
 * @throws {ToolError} nothing of the name is left
 */
export function outputName(path: string, to: Format): string {
  const stem = basename(path)
    .replace(/\.gz$/i, '')
    .replace(/\.[^.]*$/, '')
    .replaceAll(/[^A-Za-z0-9_-]/g, '_')
    .replace(/^-/, '_')
    .slice(0, 100);
  if (stem === '') throw new ToolError('give save_as: no name for the new file can be made');
  return `${stem}.${EXTENSIONS[to]}`;
}
