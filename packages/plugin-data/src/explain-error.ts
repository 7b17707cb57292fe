import type { DuckDBError } from './engine/engine.ts';

const MAX_MESSAGE = 2_000;

/** How the engine calls a file, and how the caller did. */
export interface KnownFile {
  readonly readPath: string;
  readonly file: { readonly name: string; readonly path: string };
}

/**
 * DuckDB's message as a model can use it: the caller's names instead of our paths, line numbers of the
 * caller's statement, and neither advice about settings that can not be changed here nor long lists.
 */
export function explainError(error: DuckDBError, files: readonly KnownFile[]): string {
  let message = error.message;
  for (const { file, readPath } of files) {
    message = message.replaceAll(readPath, file.name).replaceAll(file.path, file.name);
  }
  message = message
    .replace(/^(?:Failed to extract statements|Failed to prepare): /, '')
    .replace(/\n\s*Possible (?:fix|solution)[\s\S]*$/i, '')
    .replace(/\n\t?Candidate functions:(?:\n\t.*)*/, '')
    // The caller's statement starts on the second line of ours; what is on the first is not the caller's.
    .replace(/\n+LINE (\d+): .*(?:\n.*\^.*)?/, (place, line: string) =>
      line === '1' ? '' : place.replace(`LINE ${line}`, `LINE ${Number(line) - 1}`),
    )
    .trim()
    .replace(/This file is not utf-8 encoded\.$/, '$& Set the encoding of the file.');
  return message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE)}…`;
}
