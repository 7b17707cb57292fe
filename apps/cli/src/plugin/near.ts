import path from 'node:path';

/** A path as the user would type it. */
export function near(file: string, currentDirectory: string): string {
  const relative = path.relative(currentDirectory, file);
  return relative.startsWith('..') || path.isAbsolute(relative) ? file : relative || '.';
}
