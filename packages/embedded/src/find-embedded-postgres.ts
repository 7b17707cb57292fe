import { existsSync, readFileSync } from 'node:fs';
import { embeddedPaths } from './data-directory.ts';
import { isServing, readPostmaster } from './postmaster.ts';

/**
 * The URL, with its password, of the server that serves a folder right now; null: there is none. Starts
 * nothing, and takes no part in who stops the server.
 */
export function findEmbeddedPostgres(dir: string): string | null {
  const { data, password } = embeddedPaths(dir);
  const found = readPostmaster(data);
  if (found === null || !found.isReady || !isServing(found.pid, data)) return null;
  if (!existsSync(password)) return null;
  return embeddedUrl(readFileSync(password, 'utf8').trim(), found.port);
}

export function embeddedUrl(password: string, port: number): string {
  return `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
}
